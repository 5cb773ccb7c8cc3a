"""What a VM is made from that cleans disks, and what becomes of the hosts in it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingot.assets.wipeconfig import WipeAssets, wipe_assets
from ingot.assets.wipehosts import wipe_host
from ingot.config.model import InstallConfig
from ingot.config.sample import SAMPLES
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.api.states import ProvisioningState
from ingot.metal3.node import calls
from ingot.node.bootstrap import options
from ingot.node.bootstrap.stage import Goal
from tests.unit.assets.clusters import (
    NOW,
    PAYLOAD,
    Tree,
    cluster,
    counting,
    install_files,
    modes,
    objects,
    on_machine,
    units,
)
from tests.unit.metal3.host.test_life import lucky, unlucky
from tests.unit.metal3.host.world import World
from tests.unit.metal3.node.model import Choose

ON_VM = {
    "/etc/hostname",
    "/etc/ingot/bootstrap.json",
    "/etc/ingot/kubeadm.yaml",
    "/etc/ingot/onprem.json",
    "/etc/kubernetes/pki/ca.crt",
    "/etc/kubernetes/pki/ca.key",
    *(f"/etc/ingot/metal3/{name}" for name in ("settings.json", "tls.crt", "tls.key", "ca.crt")),
    *(f"/etc/ingot/metal3/{name}" for name in ("username", "password")),
    "/etc/ingot/static/10-onprem.yaml",
    "/etc/ingot/static/30-metal3.yaml",
}


def made(config: InstallConfig) -> WipeAssets:
    return wipe_assets(config, PAYLOAD, random=counting(), now=NOW)


def ignition(config: InstallConfig) -> Tree:
    found: Tree = json.loads(made(config).ignition)
    return found


def applied(config: InstallConfig) -> dict[tuple[str, str], Tree]:
    """Return the objects that the VM applies."""
    folder = "/etc/ingot/manifests/"
    found = on_machine(ignition(config))
    return objects({path: one for path, one in found.items() if path.startswith(folder)})


def beside(path: str) -> bool:
    """Return whether a file is one of the network, or a manifest."""
    return path.startswith(("/etc/systemd/network/", "/etc/ingot/manifests/"))


def test_there_is_what_cleaning_needs_and_no_more() -> None:
    found = on_machine(ignition(cluster()))
    assert {path for path in found if not beside(path)} == ON_VM
    assert set(units(ignition(cluster()))) == {"ingot-bootstrap.service", "run-ingot-media.mount"}


def test_no_key_of_the_cluster_is_on_the_vm() -> None:
    config = cluster()
    cluster_files = install_files(config)
    keys = {one for path, one in cluster_files.items() if path.startswith(("tls/", "hosts/"))}
    wipe = made(config)
    assert not keys & set(on_machine(json.loads(wipe.ignition)).values())
    assert wipe.kubeconfig != cluster_files["auth/kubeconfig"]


def test_only_the_authority_that_the_installer_is_known_by_is_given_to_kubeadm() -> None:
    found = on_machine(ignition(cluster()))
    private = {path for path, one in found.items() if b"PRIVATE KEY" in one}
    assert private == {"/etc/kubernetes/pki/ca.key", "/etc/ingot/metal3/tls.key"}


def test_the_kubeconfig_trusts_the_vms_authority() -> None:
    wipe = made(cluster())
    (known,) = yaml.safe_load(wipe.kubeconfig)["clusters"]
    found = on_machine(json.loads(wipe.ignition))
    trusted = known["cluster"]["certificate-authority-data"]
    assert b64encode(found["/etc/kubernetes/pki/ca.crt"]).decode() == trusted
    assert known["cluster"]["server"] == "https://192.0.2.5:6443"


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_secret_is_for_root_alone(name: str) -> None:
    config = ignition(cluster(name))
    content = on_machine(config)
    for path, mode in modes(config).items():
        secret = any(word in content[path] for word in (b"PRIVATE", b"stringData", b"hunter2"))
        assert mode == 0o600 or not secret, path


def test_the_vm_is_told_its_goal_and_all_servers(tmp_path: Path) -> None:
    told = tmp_path / "bootstrap.json"
    told.write_bytes(on_machine(ignition(cluster()))["/etc/ingot/bootstrap.json"])
    found = options.read(told)
    assert found.goal is Goal.WIPE
    assert found.wiped == ("cp-0", "cp-1", "cp-2", "worker-0", "worker-1")
    assert found.control_plane == ()
    assert found.api_vips == (ip_address("192.0.2.5"),)


def test_every_server_is_there_workers_too_and_none_is_installed() -> None:
    found = applied(cluster())
    hosts = {name: one for (kind, name), one in found.items() if kind == "BareMetalHost"}
    assert set(hosts) == {host.name for host in cluster().baremetal.hosts}
    for host in hosts.values():
        assert host["spec"]["online"] is False
        assert not {"image", "userData", "consumerRef", "rootDeviceHints"} & host["spec"].keys()
        assert host["spec"].get("automatedCleaningMode", "metadata") == "metadata"
        assert host["metadata"]["annotations"]["inspect.metal3.io"] == "disabled"
        assert "baremetalhost.metal3.io/paused" not in host["metadata"]["annotations"]
        assert ("Secret", host["spec"]["bmc"]["credentialsName"]) in found


def test_a_server_without_dhcp_has_its_network() -> None:
    found = applied(cluster("virtualmedia"))
    host = found["BareMetalHost", "cp-0"]
    name = host["spec"]["preprovisioningNetworkDataName"]
    assert name
    assert ("Secret", name) in found


def test_nothing_of_the_users_own_is_applied() -> None:
    kinds = {kind for kind, _ in applied(cluster())}
    assert kinds == {"Namespace", "CustomResourceDefinition", "Secret", "BareMetalHost"}


def arrived(choose: Choose, *, until: ProvisioningState) -> tuple[World, list[calls.Call]]:
    """Let a host of the VM live in the operator's world, and return what Ironic was asked."""
    config = cluster()
    host = wipe_host(config, PAYLOAD, config.baremetal.hosts[0])
    meta = replace(host.metadata, uid="uid-1", generation=1)
    world = World(host=replace(host, metadata=meta))
    taken = world.decide()
    world.host = replace(world.host, status=taken.status)
    for name in taken.annotations_removed:
        world.annotate(name, None)
    asked: list[calls.Call] = []
    for _ in range(60):
        asked.extend(world.look().calls)
        world.happen(choose)
        world.now += timedelta(days=1)
        if world.state is until and not world.host.status.error_count:
            break
    return world, asked


def test_a_host_is_available_once_ironic_has_cleaned_it_and_not_before() -> None:
    world, asked = arrived(lucky, until=ProvisioningState.AVAILABLE)
    assert world.state is ProvisioningState.AVAILABLE
    provided = [one for one in asked if isinstance(one, calls.Ask) and one.verb is Verb.PROVIDE]
    assert len(provided) == 1
    node = world.ironic.node()
    assert node is not None
    assert node.status.provision_state is ProvisionState.AVAILABLE
    assert node.document["automated_clean"] is True


def test_a_host_whose_cleaning_fails_is_never_available_and_says_why() -> None:
    def dirty(ends: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever may happen
        """Let cleaning fail, and all else end well."""
        bad = ProvisionState.CLEAN_FAILED
        return bad if bad in ends else lucky(ends)

    world, _ = arrived(dirty, until=ProvisioningState.AVAILABLE)
    assert world.state is ProvisioningState.DEPROVISIONING
    assert world.host.status.error_count > 0


def test_a_host_whose_bmc_is_dead_is_never_available() -> None:
    world, _ = arrived(unlucky, until=ProvisioningState.AVAILABLE)
    assert world.state is ProvisioningState.DEPROVISIONING
