"""Clusters in every network mode, under stress, and killed wherever that can be: `make test-full`.

Each takes a quarter of an hour and more, and two cores to itself.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml

from ingot.installer.phase import Phase
from tests.e2e.cluster import Cluster, created_cluster
from tests.e2e.creating import CREATE_SECONDS
from tests.e2e.hostlife import partitions
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.site import eventually
from tests.full import only_in_full

pytestmark = only_in_full

NAMES = ["cp-0", "cp-1", "cp-2"]
BMC_AWAY_SECONDS = 120
KILLED_IN = (
    Phase.ASSETS,
    Phase.BOOTSTRAP_VM,
    Phase.CONTROL_PLANE,
    Phase.MANIFESTS,
    Phase.SERVICES,
    Phase.HOSTS,
    Phase.JOIN,
    Phase.HAND_OVER,
    Phase.CLEAN_UP,
)
"""All that takes longer than a moment; images are made before, and the network is there at once."""


@contextmanager
def lab_of(folder: Path, name: str, *options: str) -> Iterator[TestLab]:
    common = ("--control-plane", "3", "--workers", "0", "--driver", "uml")
    with created_lab(folder, *common, *options, name=f"{name}{os.getpid()}") as lab:
        yield lab


def check_that_it_stands(cluster: Cluster) -> None:
    """Check that three nodes are ready, and the VM is gone."""

    def ready() -> bool:
        nodes = cluster.get("nodes")["items"]
        conditions = [
            {one["type"]: one["status"] for one in node["status"]["conditions"]} for node in nodes
        ]
        names = sorted(node["metadata"]["name"] for node in nodes)
        return names == NAMES and all(one["Ready"] == "True" for one in conditions)

    eventually(ready, within=300)
    assert cluster.holder() in NAMES
    assert list((cluster.lab.home / "installs").iterdir()) == []


def destroy(cluster: Cluster, *options: str) -> None:
    """Destroy a cluster, and check that nothing of it is left."""
    done = cluster.ingot("destroy", "cluster", *options, seconds=CREATE_SECONDS)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert {host["power"] for host in cluster.lab.status().values()} == {"off"}
    assert list((cluster.lab.home / "installs").iterdir()) == []
    assert not (cluster.directory / ".ingot").exists()


def set_networks(lab: TestLab, addresses: Mapping[str, str]) -> None:
    """Give servers static networks, and nobody who answers their DHCP."""
    path = lab.directory / "install-config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    networks = lab.plan.networks
    gateway = str(networks.external_gateway)
    for host in content["platform"]["baremetal"]["hosts"]:
        address = {"ip": addresses[host["name"]], "prefix-length": networks.external.prefixlen}
        card = {"name": "lan", "type": "ethernet"}  # That with the bootMACAddress.
        way = {
            "destination": "0.0.0.0/0",
            "next-hop-address": gateway,
            "next-hop-interface": "lan",
        }
        host["networkConfig"] = {
            "interfaces": [{**card, "ipv4": {"enabled": True, "address": [address]}}],
            "dns-resolver": {"config": {"server": [gateway]}},
            "routes": {"config": [way]},
        }
        lab.ingot("fault", "set", host["name"], "no-dhcp")
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def test_without_any_dhcp_by_virtual_media_and_wiped_afterwards(tmp_path: Path) -> None:
    options = ("--network", "disabled", "--bmc", "redfish-virtualmedia")
    with lab_of(tmp_path, "vm", *options) as lab:
        addresses = {
            name: str(lab.plan.networks.external[30 + place]) for place, name in enumerate(NAMES)
        }
        set_networks(lab, addresses)
        with created_cluster(lab, addresses=addresses) as cluster:
            check_that_it_stands(cluster)
            assert addresses == {
                node["metadata"]["name"]: one["address"]
                for node in cluster.get("nodes")["items"]
                for one in node["status"]["addresses"]
                if one["type"] == "InternalIP"
            }
            assert {partitions(lab, host) for host in lab.plan.hosts} == {"GPT"}
            destroy(cluster, "--wipe")
            assert {partitions(lab, host) for host in lab.plan.hosts} == {"none"}


def test_with_somebody_elses_dhcp_by_ipmi_and_redfish(tmp_path: Path) -> None:
    options = ("--network", "unmanaged", "--bmc", "mixed")
    with lab_of(tmp_path, "un", *options) as lab, created_cluster(lab) as cluster:
        check_that_it_stands(cluster)
        destroy(cluster)


def test_killed_in_every_phase_it_ends_in_the_same_cluster(tmp_path: Path) -> None:
    with (
        lab_of(tmp_path, "kill", "--bmc", "redfish") as lab,
        created_cluster(lab, killed_in=KILLED_IN) as cluster,
    ):
        assert set(cluster.created.killed) >= {Phase.BOOTSTRAP_VM, Phase.HOSTS, Phase.JOIN}
        check_that_it_stands(cluster)
        destroy(cluster)


def test_under_stress_it_finishes_and_says_what_was_overcome(tmp_path: Path) -> None:
    with lab_of(tmp_path, "st", "--bmc", "redfish") as lab:
        for host in ("cp-0", "cp-1"):
            lab.ingot("fault", "set", host, "cpu-starved", "--amount", "50")
            lab.ingot("fault", "set", host, "nic-lossy", "--amount", "2")
        lab.ingot("fault", "set", "cp-1", "no-dhcp", "--times", "2")
        lab.ingot("fault", "set", "cp-2", "bmc-503")
        back = threading.Timer(BMC_AWAY_SECONDS, lab.ingot, ("fault", "clear", "cp-2", "bmc-503"))
        back.start()
        try:
            with created_cluster(lab) as cluster:
                report = json.loads((cluster.directory / ".ingot/report.json").read_text())
                told = "\n".join(report["overcome"])
                assert "cp-1" in told
                assert "cp-2" in told
                check_that_it_stands(cluster)
                destroy(cluster)
        finally:
            back.cancel()
