"""Machines of a new cluster, who looks after them, and which hosts they may have."""

from __future__ import annotations

import json

import pytest
import yaml

from ingot.assets.kubeadm import kubeadm_yaml
from ingot.assets.machinecontroller import machine_controller, static_pod
from ingot.assets.machines import machines
from ingot.assets.roster import roster
from ingot.config.model import InstallConfig
from ingot.machineapi.options import read
from tests.unit.assets.clusters import (
    PAYLOAD,
    Tree,
    bootstrap_ign,
    cluster,
    install_files,
    objects,
    on_machine,
    platform_with,
)

CONTROL_PLANE = {"installer.openshift.io/role": "control-plane"}


def with_spare(tree: Tree) -> None:
    """Give the last host the role of the control plane, which is complete without it."""
    tree["platform"]["baremetal"]["hosts"][-1]["role"] = "master"
    tree["compute"][0]["replicas"] = 1


def provider_spec(found: Tree) -> Tree:
    spec = found["spec"]
    machine = spec.get("template", {}).get("spec", spec)
    value: Tree = machine["providerSpec"]["value"]
    return value


def environment(pod: Tree) -> dict[str, str]:
    (container,) = pod["spec"]["containers"]
    return {one["name"]: one["value"] for one in container["env"]}


def test_each_server_of_the_control_plane_has_a_machine_of_its_own() -> None:
    found = objects(machines(cluster(), PAYLOAD))
    named = {
        name: one["metadata"]["annotations"]["metal3.io/BareMetalHost"]
        for (kind, name), one in found.items()
        if kind == "Machine"
    }
    assert named == {f"rack1-master-{number}": f"metal3/cp-{number}" for number in range(3)}


def test_workers_are_as_many_as_asked_for_and_never_on_hosts_of_the_control_plane() -> None:
    found = objects(machines(cluster(), PAYLOAD))["MachineSet", "rack1-worker-0"]
    assert found["spec"]["replicas"] == 2
    (rule,) = provider_spec(found)["hostSelector"]["matchExpressions"]
    assert rule == {
        "key": "installer.openshift.io/role",
        "operator": "NotIn",
        "values": ["control-plane"],
    }


@pytest.mark.parametrize(
    ("config", "url"),
    [
        (cluster(), "http://172.22.0.3:6180/images/disk.img"),
        (cluster("virtualmedia"), "http://192.0.2.5:6180/images/disk.img"),
        (
            cluster(change=platform_with(clusterOSImage=f"http://a.b/c.qcow2?sha256={'b' * 64}")),
            "http://a.b/c.qcow2",
        ),
    ],
    ids=["provisioning network", "none", "image of one's own"],
)
def test_the_image_is_where_the_cluster_has_it(config: InstallConfig, url: str) -> None:
    found = objects(machines(config, PAYLOAD))
    images = {
        provider_spec(one)["image"]["url"]
        for (kind, _), one in found.items()
        if kind != "MachineHealthCheck"
    }
    assert images == {url}


def test_workers_that_fall_silent_are_healed() -> None:
    found = objects(machines(cluster(), PAYLOAD))["MachineHealthCheck", "rack1-worker"]
    chosen = found["spec"]["selector"]["matchLabels"]
    workers = objects(machines(cluster(), PAYLOAD))["MachineSet", "rack1-worker-0"]
    assert chosen.items() <= workers["spec"]["template"]["metadata"]["labels"].items()


def test_a_host_too_many_for_the_control_plane_is_its_spare() -> None:
    config = cluster(change=with_spare)
    spare = config.baremetal.hosts[-1]
    assert roster(config).spares == {spare.name}
    files = install_files(config)
    found = objects({path: one for path, one in files.items() if path.startswith("manifests/60")})
    host = found["BareMetalHost", spare.name]
    assert host["metadata"]["labels"] == CONTROL_PLANE
    assert "image" not in host["spec"]
    assert b"/config/master" in files[f"hosts/{spare.name}.ign"]


def test_the_controller_is_told_the_same_on_the_vm_and_in_the_cluster() -> None:
    config = cluster()
    deployed = objects(machine_controller(config, PAYLOAD))["Deployment", "machine-controller"]
    on_vm = yaml.safe_load(static_pod(config, PAYLOAD))
    there, here = environment(deployed["spec"]["template"]), environment(on_vm)
    assert there.items() <= here.items()
    policy = read(there).policy
    assert policy.reserved == {"192.0.2.5", "192.0.2.6"}
    assert [str(one) for one in policy.networks] == ["192.0.2.0/24"]
    assert read(there).terms is not None


def test_the_vm_has_the_controller_among_what_waits_for_its_turn() -> None:
    config = cluster()
    found = on_machine(bootstrap_ign(config, install_files(config)))
    assert "/etc/ingot/manifests/44-machine-controller.yaml" in found


def test_kubelets_ask_for_certificates_as_servers() -> None:
    documents = yaml.safe_load_all(kubeadm_yaml(cluster(), PAYLOAD))
    kubelet = next(one for one in documents if one["kind"] == "KubeletConfiguration")
    assert kubelet["serverTLSBootstrap"] is True


def test_no_right_of_the_controller_reads_a_secret() -> None:
    rules = [
        rule
        for (kind, name), one in objects(machine_controller(cluster(), PAYLOAD)).items()
        if kind in {"Role", "ClusterRole"} and "machine-controller" in name
        for rule in one["rules"]
    ]
    assert rules
    assert not any("secrets" in rule["resources"] for rule in rules), json.dumps(rules)
