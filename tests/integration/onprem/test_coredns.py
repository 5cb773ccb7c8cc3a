"""The real CoreDNS: it accepts what is rendered, and answers whom it should with what it should."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.machine import namespaces
from ingot.onprem.checking import check_coredns
from ingot.onprem.coredns import Coredns, coredns_of
from ingot.onprem.model import Situation
from ingot.onprem.problem import RefusedConfigError
from ingot.payload.binaries import coredns
from ingot.process import run
from tests.e2e.site import eventually
from tests.integration.onprem.questions import AAAA, A, Answer, question, read_answer
from tests.integration.onprem.wires import running, wired
from tests.unit.onprem.situations import V4, V6, cluster, peer, situation

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")
UPSTREAM = ip_address("10.9.0.1")
DOMAIN = "ostest.example.com"


@pytest.fixture(scope="session")
def program() -> Path:
    return make(Store(), [coredns()], Silent())[-1].artefact.path / "coredns"


def rendered(where: Situation, folder: Path) -> Coredns:
    wanted = coredns_of(where, upstreams=[UPSTREAM], hosts_file=folder / "hosts")
    wanted.hosts_file.write_text(wanted.hosts())
    return wanted


@pytest.mark.parametrize("stacks", [(V4,), (V6,), (V4, V6), (V6, V4)], ids="+".join)
@pytest.mark.parametrize("name", ["bootstrap", "master-0", "worker-0"])
def test_coredns_accepts_what_is_rendered(
    program: Path, tmp_path: Path, name: str, stacks: tuple[str, ...]
) -> None:
    check_coredns(rendered(situation(name, *stacks), tmp_path), program=program)


def test_what_coredns_refuses_is_an_error_with_its_words(program: Path, tmp_path: Path) -> None:
    broken = replace(rendered(situation("master-0"), tmp_path), upstreams=())
    with pytest.raises(RefusedConfigError, match="forward"):
        check_coredns(broken, program=program)


class Resolver:
    """A CoreDNS on a node, asked from its neighbours."""

    def __init__(self, spaces: dict[str, str], wanted: Coredns) -> None:
        self.spaces, self.wanted = spaces, wanted

    def asked(self, name: str, kind: int = A, *, by: str = "worker-0") -> Answer | None:
        def ask() -> Answer | None:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.settimeout(1.0)
                client.sendto(question(name, kind), ("10.9.0.11", 53))
                try:
                    return read_answer(client.recv(4096))
                except TimeoutError:
                    return None

        return namespaces.inside(self.spaces[by], ask)


@pytest.fixture
def resolver(program: Path, tmp_path: Path) -> Iterator[Resolver]:
    nodes = {
        "master-0": ["10.9.0.11/24", "172.30.0.1/24"],
        "worker-0": ["10.9.0.21/24"],
        "stranger": ["172.30.0.2/24"],
    }
    where = situation("master-0", of=replace(cluster(), dns_clients=(ip_network("10.8.0.0/16"),)))
    wanted = rendered(where, tmp_path)
    (tmp_path / "Corefile").write_text(wanted.render())
    with wired(nodes) as spaces:
        route = ["route", "add", "10.9.0.0/24", "via", "172.30.0.1"]
        namespaces.inside(spaces["stranger"], lambda: run(["ip", *route]))
        with running(
            spaces["master-0"], program, "-conf", tmp_path / "Corefile", log=tmp_path / "log"
        ):
            made = Resolver(spaces, wanted)
            eventually(lambda: made.asked(f"api.{DOMAIN}"), within=20, every=0.05)
            yield made


@ROOT
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"api.{DOMAIN}", "10.9.0.100"),
        (f"api-int.{DOMAIN}", "10.9.0.100"),
        (f"console.apps.{DOMAIN}", "10.9.0.101"),
        (f"a.b.apps.{DOMAIN}", "10.9.0.101"),
        ("master-1", "10.9.0.12"),
        (f"worker-1.{DOMAIN}", "10.9.0.22"),
    ],
)
def test_names_of_the_cluster_are_answered(resolver: Resolver, name: str, expected: str) -> None:
    assert resolver.asked(name) == Answer(0, (expected,))
    assert resolver.asked(name, AAAA) == Answer(0, ())  # not passed on, and not denied


@ROOT
def test_names_that_only_look_like_ours_are_asked_of_the_upstream(resolver: Resolver) -> None:
    for name in (f"apps.{DOMAIN}", "x.apps.ostest-example.com", f"xapi.{DOMAIN}"):
        answer = resolver.asked(name)
        assert answer is None or answer.code == 2, name  # the upstream is not there


@ROOT
def test_other_networks_get_no_answer(resolver: Resolver) -> None:
    assert resolver.asked(f"api.{DOMAIN}") is not None
    assert resolver.asked(f"api.{DOMAIN}", by="stranger") is None


@ROOT
def test_a_node_whose_address_changed_is_answered_anew_without_a_restart(
    resolver: Resolver,
) -> None:
    moved = replace(peer("worker-1"), addresses=(ip_address("10.9.0.77"),))
    where = replace(situation("master-0"), peers=(peer("master-0"), moved))
    fresh = coredns_of(where, upstreams=[UPSTREAM], hosts_file=resolver.wanted.hosts_file)
    fresh.hosts_file.write_text(fresh.hosts())
    eventually(
        lambda: resolver.asked("worker-1") == Answer(0, ("10.9.0.77",)), within=20, every=0.1
    )


@ROOT
def test_with_external_dns_the_vips_have_no_name_here(tmp_path: Path) -> None:
    wanted = rendered(situation("master-0", of=cluster(external_dns=True)), tmp_path)
    assert "apps" not in wanted.render()
    assert "api" not in wanted.hosts()
    assert "master-1" in wanted.hosts()
