"""A cluster of three real etcds, as healing sees it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ingot.kube.object import KubeObject
from ingot.machineapi.etcd import member_of, why_not_without
from ingot.machineapi.kinds import NODE
from ingot.node.etcd import Etcd, EtcdError
from ingot.node.etcdmembers import ClusterEtcd, control_plane_urls
from tests.e2e.site import eventually
from tests.integration.kubeapi import binaries, free_port, make_certificate

LOOPBACK = "127.0.0.1"
NAMES = ("cp-0", "cp-1", "cp-2")


class Trio:
    """Three members, each of which can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pki = folder, folder / "pki"
        self.urls = {name: f"https://{LOOPBACK}:{free_port()}" for name in NAMES}
        self.peers = {name: f"http://{LOOPBACK}:{free_port()}" for name in NAMES}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.cluster = ClusterEtcd(Etcd(self.pki), lambda: tuple(self.urls.values()))
        make_certificate(folder)
        self.pki.mkdir()
        for name, kind in product(("ca", "server", "healthcheck-client"), ("crt", "key")):
            (self.pki / f"{name}.{kind}").write_bytes((folder / f"api.{kind}").read_bytes())

    def start(self, name: str) -> None:
        url, peer, pki = self.urls[name], self.peers[name], self.pki
        all_peers = ",".join(f"{one}={where}" for one, where in self.peers.items())
        command: list[str | Path] = [
            binaries()["etcd"], f"--name={name}", f"--data-dir={self.folder / name}",
            f"--listen-client-urls={url}", f"--advertise-client-urls={url}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster={all_peers}", f"--cert-file={pki / 'server.crt'}",
            f"--key-file={pki / 'server.key'}", f"--trusted-ca-file={pki / 'ca.crt'}",
            "--client-cert-auth", "--unsafe-no-fsync", "--log-level=error",
        ]  # fmt: skip
        with (self.folder / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.kill()
        process.wait(30)

    def healthy(self) -> list[str]:
        """Return who is well; nobody while none can be asked."""
        try:
            found = asyncio.run(self.cluster.members())
        except EtcdError:
            return []
        return sorted(one.name for one in found if one.healthy)


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[Trio]:
    made = Trio(tmp_path)
    try:
        for name in NAMES:
            made.start(name)
        eventually(lambda: made.healthy() == list(NAMES), within=60, every=0.1)
        yield made
    finally:
        for name in list(made.running):
            made.kill(name)


def test_a_dead_member_is_seen_and_forgotten_by_the_others(trio: Trio) -> None:
    trio.kill("cp-0")
    eventually(lambda: trio.healthy() == ["cp-1", "cp-2"], within=60, every=0.1)
    members = asyncio.run(trio.cluster.members())
    assert why_not_without("cp-0", members) == ""
    assert "2 are needed" in why_not_without("cp-1", members)
    dead = member_of("cp-0", members)
    assert dead is not None
    asyncio.run(trio.cluster.remove(dead))
    assert {one.name for one in asyncio.run(trio.cluster.members())} == {"cp-1", "cp-2"}


def test_without_a_majority_nobody_is_well_and_nothing_may_be_lost(trio: Trio) -> None:
    trio.kill("cp-0")
    trio.kill("cp-1")
    eventually(lambda: trio.healthy() == [], within=60, every=0.1)


def test_without_certificates_it_is_said_that_etcd_cannot_be_asked(tmp_path: Path) -> None:
    nowhere = ClusterEtcd(Etcd(tmp_path), lambda: ("https://127.0.0.1:1",))
    with pytest.raises(EtcdError, match="cannot be asked"):
        asyncio.run(nowhere.members())


def test_etcd_is_asked_at_the_nodes_of_the_control_plane_the_ready_ones_first() -> None:
    def node(name: str, address: str, *, ready: str, leads: bool) -> KubeObject[Any]:
        labels = {"node-role.kubernetes.io/control-plane": ""} if leads else {}
        status = {
            "conditions": [{"type": "Ready", "status": ready}],
            "addresses": [{"type": "InternalIP", "address": address}],
        }
        body = {"metadata": {"name": name, "labels": labels}, "status": status}
        return KubeObject(NODE, json.dumps(body).encode())

    nodes = [
        node("a", "192.0.2.1", ready="Unknown", leads=True),
        node("b", "fd00::2", ready="True", leads=True),
        node("w", "192.0.2.9", ready="True", leads=False),
    ]
    assert control_plane_urls(nodes) == ("https://[fd00::2]:2379", "https://192.0.2.1:2379")
