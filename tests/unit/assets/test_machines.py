"""The Ignition configs of the bootstrap VM and of nodes: what is on each, and who may read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from socket import gethostname

import pytest
import yaml

from ingot.assets.nodeconfig import control_plane_config, worker_config
from ingot.assets.onprem import onprem_json, static_pod
from ingot.config.model import InstallConfig
from ingot.node.bootstrap import options as bootstrap_options
from ingot.onprem.model import Role
from ingot.onprem.monitor.options import Options, parse
from tests.unit.assets.clusters import (
    PAYLOAD,
    SSH_KEY,
    Tree,
    bootstrap_ign,
    cluster,
    install_files,
    modes,
    on_machine,
    platform_with,
    units,
)

Made = Callable[[InstallConfig], Tree]

PEM = "-----BEGIN CERTIFICATE-----\nMII{}\n-----END CERTIFICATE-----\n"

ON_BOOTSTRAP = {
    "/etc/hostname",
    "/etc/ingot/bootstrap.json",
    "/etc/ingot/onprem.json",
    "/etc/ingot/kubeadm.yaml",
    *(f"/etc/kubernetes/pki/{name}" for name in ("ca.crt", "ca.key", "sa.key", "sa.pub")),
    *(f"/etc/kubernetes/pki/{name}" for name in ("front-proxy-ca.crt", "front-proxy-ca.key")),
    *(f"/etc/kubernetes/pki/etcd/{name}" for name in ("ca.crt", "ca.key")),
    *(f"/etc/ingot/configserver/{name}" for name in ("tls.crt", "tls.key", "ca.crt")),
    *(f"/etc/ingot/configserver/{name}" for name in ("control-plane.ign", "worker.ign")),
    "/etc/ingot/configserver/hosts.json",
    *(f"/etc/ingot/metal3/{name}" for name in ("settings.json", "tls.crt", "tls.key", "ca.crt")),
    *(f"/etc/ingot/metal3/{name}" for name in ("username", "password")),
    *(f"/etc/ingot/static/{name}.yaml" for name in ("10-onprem", "20-config-server", "30-metal3")),
}


def bootstrap(config: InstallConfig) -> Tree:
    return bootstrap_ign(config, install_files(config))


def control_plane(config: InstallConfig) -> Tree:
    found: Tree = json.loads(control_plane_config(config, PAYLOAD, install_files(config)))
    return found


def worker(config: InstallConfig) -> Tree:
    found: Tree = json.loads(worker_config(config, PAYLOAD))
    return found


def monitor(config: InstallConfig, role: Role) -> Options:
    return parse(onprem_json(config, role).decode(), source="onprem.json")


def with_ssh_key(tree: Tree) -> None:
    tree["sshKey"] = f"{SSH_KEY}\n{SSH_KEY}2\n"


def test_the_bootstrap_has_what_the_contract_says() -> None:
    assert on_machine(bootstrap(cluster())).keys() >= ON_BOOTSTRAP


def test_what_is_secret_is_for_root_alone() -> None:
    for config in (bootstrap(cluster()), control_plane(cluster())):
        readable = {path for path, mode in modes(config).items() if mode != 0o600}
        secret = ("PRIVATE", "stringData", "hunter2", "X-Ingot-Token")
        content = on_machine(config)
        exposed = {path for path in readable for word in secret if word.encode() in content[path]}
        assert exposed == set()
        assert not {path for path in readable if path.endswith((".key", ".ign"))}


def test_the_bootstrap_reads_what_it_is_told(tmp_path: Path) -> None:
    told = tmp_path / "bootstrap.json"
    told.write_bytes(on_machine(bootstrap(cluster()))["/etc/ingot/bootstrap.json"])
    assert bootstrap_options.read(told) == bootstrap_options.Options(
        name="rack1-bootstrap",
        api_vips=(ip_address("192.0.2.5"),),
        vips=(ip_address("192.0.2.5"), ip_address("192.0.2.6")),
        control_plane=("cp-0", "cp-1", "cp-2"),
        namespace="metal3",
    )


def test_manifests_of_the_users_own_are_applied_too() -> None:
    config = cluster()
    files = {**install_files(config), "manifests/99-mine.yaml": b"kind: Mine\n"}
    found = on_machine(bootstrap_ign(config, files))
    assert found["/etc/ingot/manifests/99-mine.yaml"] == b"kind: Mine\n"
    assert found["/etc/ingot/manifests/00-namespaces.yaml"] == files["manifests/00-namespaces.yaml"]


def test_the_config_server_hands_out_what_nodes_are_given() -> None:
    config = cluster()
    files = install_files(config)
    found = on_machine(bootstrap_ign(config, files))
    given = found["/etc/ingot/configserver/control-plane.ign"]
    assert given == control_plane_config(config, PAYLOAD, files)


def test_the_bootstrap_starts_when_images_are_there() -> None:
    found = units(bootstrap(cluster()))
    assert "RequiresMountsFor=/run/ingot/media" in found["ingot-bootstrap.service"]
    assert "What=/dev/disk/by-label/INGOT-MEDIA" in found["run-ingot-media.mount"]


def test_the_cards_are_found_by_their_macs() -> None:
    change = platform_with(
        externalMACAddress="52:54:00:aa:00:01", provisioningMACAddress="52:54:00:aa:00:02"
    )
    found = on_machine(bootstrap(cluster(change=change)))
    external = found["/etc/systemd/network/10-ingot-external.network"].decode()
    provisioning = found["/etc/systemd/network/10-ingot-provisioning.network"].decode()
    assert "MACAddress=52:54:00:aa:00:01" in external
    assert "DHCP=yes" in external
    assert "MACAddress=52:54:00:aa:00:02" in provisioning
    assert "Address=172.22.0.2/24" in provisioning
    assert "DHCP=no" in provisioning


def test_a_static_address_has_the_length_of_its_network() -> None:
    found = on_machine(bootstrap(cluster("virtualmedia")))
    external = found["/etc/systemd/network/10-ingot-external.network"].decode().splitlines()
    assert {"Address=192.0.2.9/24", "Gateway=192.0.2.1", "DNS=192.0.2.1"} <= set(external)
    assert "/etc/systemd/network/10-ingot-provisioning.network" not in found


def test_macs_that_nobody_gave_are_made_up() -> None:
    found = on_machine(bootstrap(cluster()))
    cards = [one for path, one in found.items() if path.endswith(".network")]
    macs = {line for one in cards for line in one.splitlines() if line.startswith(b"MACAddress=")}
    assert len(macs) == 2
    assert all(line.startswith(b"MACAddress=52:54:00:") for line in macs)


def test_a_worker_has_no_authoritys_key() -> None:
    found = on_machine(worker(cluster()))
    assert not [path for path in found if path.startswith("/etc/kubernetes/pki")]
    assert "/etc/kubernetes/manifests/onprem.yaml" in found


def test_the_control_plane_has_all_that_kubeadm_needs_to_join() -> None:
    config = cluster()
    files = install_files(config)
    found = on_machine(json.loads(control_plane_config(config, PAYLOAD, files)))
    pki = "/etc/kubernetes/pki"
    assert found[f"{pki}/ca.key"] == files["tls/ca.key"]
    assert found[f"{pki}/etcd/ca.key"] == files["tls/etcd-ca.key"]
    assert found[f"{pki}/front-proxy-ca.crt"] == files["tls/front-proxy-ca.crt"]
    assert found[f"{pki}/sa.pub"] == files["tls/sa.pub"]


@pytest.mark.parametrize("made", [control_plane, worker])
def test_a_node_joins_until_it_has(made: Made) -> None:
    unit = units(made(cluster()))["ingot-join.service"]
    for line in (
        "Type=oneshot",
        "Restart=on-failure",
        "StandardOutput=journal+console",
        "ExecStart=/usr/bin/ingot-node join",
    ):
        assert line in unit.splitlines()


@pytest.mark.parametrize("made", [bootstrap, control_plane, worker])
def test_those_with_a_key_may_log_in(made: Made) -> None:
    (user,) = made(cluster(change=with_ssh_key))["passwd"]["users"]
    assert user["name"] == "core"
    assert user["groups"] == ["sudo"]
    assert user["sshAuthorizedKeys"] == [SSH_KEY, f"{SSH_KEY}2"]
    assert "passwd" not in made(cluster())


@pytest.mark.parametrize("made", [bootstrap, control_plane, worker])
def test_time_servers_are_asked(made: Made) -> None:
    change = platform_with(additionalNTPServers=["192.0.2.1", "ntp.example.com"])
    text = on_machine(made(cluster(change=change)))["/etc/chrony/sources.d/ingot.sources"]
    assert text == b"server 192.0.2.1 iburst\nserver ntp.example.com iburst\n"


def test_additional_authorities_are_trusted_each_by_its_own_file() -> None:
    def change(tree: Tree) -> None:
        tree["additionalTrustBundle"] = PEM.format("one") + PEM.format("two")
        tree["additionalTrustBundlePolicy"] = "Always"

    made = worker(cluster(change=change))
    found = on_machine(made)
    assert b"MIItwo" in found["/usr/local/share/ca-certificates/ingot-1.crt"]
    assert "ingot-trust.service" in units(made)


def test_they_are_not_where_only_a_proxy_needs_them() -> None:
    def change(tree: Tree) -> None:
        tree["additionalTrustBundle"] = PEM.format("one")

    made = worker(cluster(change=change))
    assert "ingot-trust.service" not in units(made)


def test_a_proxy_is_for_what_lies_outside() -> None:
    def change(tree: Tree) -> None:
        tree["proxy"] = {"httpProxy": "http://me:hunter2@proxy:3128", "noProxy": "example.net"}

    made = worker(cluster(change=change))
    text = on_machine(made)["/etc/ingot/proxy.env"].decode()
    assert 'HTTP_PROXY="http://me:hunter2@proxy:3128"' in text
    assert modes(made)["/etc/ingot/proxy.env"] == 0o600
    said = next(line for line in text.splitlines() if line.startswith("NO_PROXY"))
    for inside in ("example.net", "192.0.2.0/24", "10.128.0.0/14", "172.30.0.0/16", "192.0.2.5"):
        assert inside in said


def test_the_monitor_is_told_of_the_cluster() -> None:
    found = monitor(cluster("dual-stack"), Role.CONTROL_PLANE)
    assert [str(vip) for vip in found.cluster.api_vips] == ["192.0.2.5", "2001:db8:0:1::5"]
    assert found.cluster.domain == "rack1.example.com"
    assert [str(one) for one in found.cluster.dns_clients] == ["10.128.0.0/14", "fd01::/48"]
    assert str(found.kubeconfig) == "/etc/kubernetes/kubelet.conf"
    assert found.planned == ()
    assert found.done_file is None


def test_a_nodes_monitor_knows_it_by_its_host_name() -> None:
    assert monitor(cluster(), Role.WORKER).name == gethostname()


def test_nodes_with_static_addresses_are_planned() -> None:
    found = monitor(cluster("virtualmedia"), Role.CONTROL_PLANE)
    assert {one.name: [str(ip) for ip in one.addresses] for one in found.planned} == {
        f"cp-{number}": [f"192.0.2.1{number}"] for number in range(3)
    }
    assert {one.role for one in found.planned} == {Role.CONTROL_PLANE}


def test_the_bootstraps_monitor_knows_its_name_and_when_it_is_done() -> None:
    found = monitor(cluster(), Role.BOOTSTRAP)
    assert found.name == "rack1-bootstrap"
    assert found.done_file == bootstrap_options.Places().done
    assert found.kubeconfig == bootstrap_options.Places().kubeconfig


@pytest.mark.parametrize("role", Role)
def test_every_file_that_the_monitor_is_told_of_is_mounted(role: Role) -> None:
    found = monitor(cluster(), role)
    pod = static_pod(PAYLOAD, role)["spec"]
    (container,) = pod["containers"]
    mounts = {one["mountPath"]: one["readOnly"] for one in container["volumeMounts"]}
    assert {one["name"] for one in pod["volumes"]} == {
        one["name"] for one in container["volumeMounts"]
    }
    assert found.resolv_conf is not None
    assert found.kubeconfig is not None
    for path, written in (
        (found.resolv_conf, True),
        (found.folders.run / "x", True),
        (found.folders.state / "x", True),
        (found.kubeconfig, False),
        (found.given[0], False),
    ):
        holding = [one for one in mounts if path.is_relative_to(one)]
        assert holding, path
        assert not (written and mounts[max(holding, key=len)]), path
    assert pod["hostNetwork"]
    assert pod["terminationGracePeriodSeconds"] == 65


def test_the_static_pod_is_read_as_it_was_written() -> None:
    text = on_machine(worker(cluster()))["/etc/kubernetes/manifests/onprem.yaml"]
    assert yaml.safe_load(text) == static_pod(PAYLOAD, Role.WORKER)
