"""What a half-done join left is cleared away, against a real etcd with kubeadm's certificates."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from ingot.configserver.role import Role
from ingot.node.etcd import Etcd, EtcdError
from ingot.node.joining.clearing import Clearing, StillThere
from ingot.node.joining.etcdplan import Place, leave, look_up
from ingot.node.joining.places import Places
from ingot.node.joining.situation import Membership
from tests.e2e.site import eventually
from tests.integration.kubeapi import binaries, free_port, make_certificate

LOOPBACK = "127.0.0.1"
OWN_PEER = f"https://{LOOPBACK}:1"
GIVEN = ("pki/ca.crt", "pki/ca.key", "pki/sa.key", "pki/etcd/ca.crt", "manifests/onprem.yaml")
LEFT = (
    "kubelet.conf", "bootstrap-kubelet.conf", "admin.conf", "scheduler.conf", "pki/apiserver.crt",
    "pki/apiserver.key", "pki/etcd/peer.key", "manifests/kube-apiserver.yaml",
)  # fmt: skip


class Site:
    """One etcd that runs, and a machine's root beside it."""

    def __init__(self, folder: Path) -> None:
        self.places = Places(folder / "root")
        self.client_port, self.peer_port = free_port(), free_port()
        self.url = f"https://{LOOPBACK}:{self.client_port}"
        self.place = Place(OWN_PEER, (self.url,))
        self.pki = folder / "pki"  # of the running etcd: the node's own are cleared away
        self.etcd = Etcd(self.pki)
        make_certificate(folder)
        for place in (self.places.pki / "etcd", self.pki):
            # One certificate is all of them: etcd's own is also a client's, as kubeadm's is.
            place.mkdir(parents=True)
            for name, kind in product(("ca", "server", "healthcheck-client"), ("crt", "key")):
                (place / f"{name}.{kind}").write_bytes((folder / f"api.{kind}").read_bytes())

    def command(self, data: Path) -> list[str | Path]:
        pki = self.pki
        peer = f"http://{LOOPBACK}:{self.peer_port}"
        return [
            binaries()["etcd"], "--name=boot", f"--data-dir={data}",
            f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=boot={peer}", f"--cert-file={pki / 'server.crt'}",
            f"--key-file={pki / 'server.key'}", f"--trusted-ca-file={pki / 'ca.crt'}",
            "--client-cert-auth", "--unsafe-no-fsync", "--log-level=error",
        ]  # fmt: skip

    def answers(self) -> bool:
        try:
            return bool(asyncio.run(self.etcd.members(self.url)))
        except EtcdError:
            return False

    def add_learner(self) -> None:
        pki = self.pki
        subprocess.run(
            [binaries()["etcdctl"], f"--endpoints={self.url}", f"--cacert={pki / 'ca.crt'}",
             f"--cert={pki / 'healthcheck-client.crt'}", f"--key={pki / 'healthcheck-client.key'}",
             "member", "add", "cp-1", "--learner", f"--peer-urls={OWN_PEER}"],
            check=True, capture_output=True, timeout=30,
        )  # fmt: skip

    def membership(self) -> Membership:
        return asyncio.run(look_up(self.etcd, self.place))

    def half_join(self) -> None:
        """Leave behind what a killed `kubeadm join --control-plane` does."""
        for name in (*GIVEN, *LEFT):
            path = self.places.kubernetes / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(name)
        # kubeadm's convention is port 2379; the test's etcd has another.
        peers = f"boot=https://{LOOPBACK}:{self.peer_port},cp-1={OWN_PEER}"
        self.places.manifest("etcd").write_text(
            f"- --initial-advertise-peer-urls={OWN_PEER}\n- --initial-cluster={peers}\n"
        )
        for path in (self.places.etcd_data / "member/wal/0.wal", self.places.kubelet_config):
            path.parent.mkdir(parents=True)
            path.write_text("data")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    with (tmp_path / "etcd.log").open("wb") as log:
        process = subprocess.Popen(made.command(tmp_path / "data"), stdout=log, stderr=log)
    try:
        eventually(made.answers, within=60, every=0.05)
        yield made
    finally:
        process.kill()
        process.wait(30)


@pytest.fixture
def systemctl(tmp_path: Path) -> Path:
    """Return what only writes down how it was called: there is no systemd where tests run."""
    script = tmp_path / "systemctl"
    script.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path / "units"}\n')
    script.chmod(0o755)
    return script


def test_a_learner_that_never_started_is_seen_and_forgotten(site: Site) -> None:
    assert site.membership() is Membership.NONE
    site.add_learner()
    assert site.membership() is Membership.LEARNER
    asyncio.run(leave(site.etcd, site.place))
    assert site.membership() is Membership.NONE
    asyncio.run(leave(site.etcd, site.place))


def test_a_member_that_runs_is_a_voter(site: Site) -> None:
    own = Place(f"http://{LOOPBACK}:{site.peer_port}", (site.url,))
    assert asyncio.run(look_up(site.etcd, own)) is Membership.VOTER


def test_what_a_half_done_join_left_goes_and_what_was_given_stays(
    site: Site, systemctl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingot.node.joining.etcdplan.CLIENT_PORT", site.client_port)
    site.add_learner()
    site.half_join()
    Clearing(places=site.places, role=Role.CONTROL_PLANE, ports={}, systemctl=systemctl).clear()
    assert site.membership() is Membership.NONE
    kubernetes = site.places.kubernetes
    assert [name for name in LEFT if (kubernetes / name).exists()] == []
    assert [name for name in GIVEN if not (kubernetes / name).exists()] == []
    assert not site.places.manifest("etcd").exists()
    assert not site.places.kubelet_config.exists()
    assert list(site.places.etcd_data.iterdir()) == []
    assert (tmp_path / "units").read_text() == "stop kubelet.service\n"


def test_nothing_is_removed_while_the_others_cannot_be_told(
    site: Site, systemctl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingot.node.joining.etcdplan.CLIENT_PORT", free_port())
    site.half_join()
    clearing = Clearing(places=site.places, role=Role.CONTROL_PLANE, ports={}, systemctl=systemctl)
    with pytest.raises(EtcdError):
        clearing.clear()
    assert site.places.manifest("etcd").exists()
    assert (site.places.etcd_data / "member/wal/0.wal").exists()


def test_a_static_pod_that_does_not_end_is_named(tmp_path: Path, systemctl: Path) -> None:
    places = Places(tmp_path / "root")
    manifest = places.manifest("kube-scheduler")
    manifest.parent.mkdir(parents=True)
    manifest.write_text("")
    with socket.create_server((LOOPBACK, 0)) as taken:
        ports = {taken.getsockname()[1]: "kube-scheduler"}
        clearing = Clearing(
            places=places, role=Role.CONTROL_PLANE, ports=ports, seconds=0, systemctl=systemctl
        )
        for _ in range(2):  # also where its manifest has gone before
            with pytest.raises(StillThere, match="kube-scheduler of an earlier try still runs"):
                clearing.clear()


def test_a_static_pod_that_kubelet_does_not_end_is_ended_without_it(
    tmp_path: Path, systemctl: Path
) -> None:
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "http.server", str(port)])
    ctr = tmp_path / "ctr"
    ctr.write_text(f"#!/bin/sh\ncase $* in *kill*) kill -9 {server.pid};; *) echo one;; esac\n")
    ctr.chmod(0o755)
    clearing = Clearing(
        places=Places(tmp_path / "root"),
        role=Role.CONTROL_PLANE,
        ports={port: "kube-scheduler"},
        seconds=5,
        systemctl=systemctl,
        ctr=ctr,
    )
    try:
        eventually(lambda: listens(port), within=30, every=0.05)
        clearing.clear()
        assert server.wait(10) == -9
    finally:
        server.kill()
        server.wait()


def listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex((LOOPBACK, port)) == 0


def test_a_workers_leftovers_go(tmp_path: Path, systemctl: Path) -> None:
    places = Places(tmp_path / "root")
    left = [
        places.kubernetes / "kubelet.conf",
        places.pki / "ca.crt",
        places.kubelet_config,
        places.kubelet_config.parent / "pki/kubelet-client-current.pem",
    ]
    kept = [places.manifest("onprem"), places.kubelet_config.parent / "pods/1/volume"]
    for path in (*left, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(str(path)))
    Clearing(places=places, role=Role.WORKER, systemctl=systemctl).clear()
    assert [path for path in left if path.exists()] == []
    assert all(path.exists() for path in kept)
