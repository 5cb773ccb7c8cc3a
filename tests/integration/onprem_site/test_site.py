"""A site is as planned, knows no other, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.onprem_site.plan import FAR_V4, Families, Plan, Role
from tests.onprem_site.process import REPOSITORY
from tests.onprem_site.site import opened_site
from tests.onprem_site.sweeping import remains_of

TINY = Plan(control=2, workers=0, bootstrap=False)

OPENED_BY_ANOTHER = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # Whoever started us may ignore it.
from tests.onprem_site.plan import Plan
from tests.onprem_site.site import opened_site

with opened_site(Path(sys.argv[1]), Plan(control=1, workers=0, bootstrap=False)) as site:
    site["control-0"].start("sleep", "600")
    print(site.name, flush=True)
    sys.stdin.read()
"""


def test_everybody_hears_everybody_by_every_kind_of_address(tmp_path: Path) -> None:
    with opened_site(tmp_path, Plan(families=Families.DUAL, clusters=("one", "two"))) as site:
        assert [node.name for node in site.of("two", Role.CONTROL)] == [
            "two-control-0",
            "two-control-1",
            "two-control-2",
        ]
        for node in site.nodes.values():
            for address in node.seat.addresses:
                site.observer.run("ping", "-n", "-c1", "-W5", str(address))
        assert site["worker-1"].run("hostname") == "worker-1\n"


@pytest.mark.parametrize("families", [Families.V4, Families.V6])
def test_a_site_has_one_kind_of_address_if_planned_so(tmp_path: Path, families: Families) -> None:
    with opened_site(tmp_path, Plan(families=families, workers=0)) as site:
        shown = site["control-0"].run("ip", "-brief", "address", "show", "scope", "global")
        assert ("10.88.0.20" in shown, "fd88::14" in shown) == (4 in families, 6 in families)


def test_a_node_sees_its_own_run_folder_resolver_and_cards(tmp_path: Path) -> None:
    with opened_site(tmp_path, TINY) as site:
        first, second = site["control-0"], site["control-1"]
        first.run("touch", "/run/mine")
        assert first.run("ls", "/run") == "mine\n"
        assert second.run("ls", "/run") == ""
        first.run("sh", "-c", "echo nameserver 192.0.2.1 > /etc/resolv.conf")
        assert "192.0.2.1" not in Path("/etc/resolv.conf").read_text()
        assert first.run("cat", "/sys/class/net/eth0/address") == f"{first.seat.mac}\n"


def test_a_client_from_afar_is_answered_through_the_gateway(tmp_path: Path) -> None:
    with opened_site(tmp_path, TINY) as site:
        target = site["control-0"].seat.address
        site.client.run("ping", "-n", "-c1", "-W5", "-I", str(FAR_V4), str(target))


def test_two_sites_are_there_at_the_same_time_with_the_same_addresses(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    with opened_site(first, TINY) as one, opened_site(second, TINY) as other:
        assert one.name != other.name
        for site in (one, other):
            site.client.run("ping", "-n", "-c1", "-W5", str(site["control-0"].seat.address))


def test_nodes_come_and_go(tmp_path: Path) -> None:
    with opened_site(tmp_path, TINY) as site:
        seat = site.plan.all_clusters[0].seat(Role.CONTROL, 2)
        site.add(seat)
        site.client.run("ping", "-n", "-c1", "-W5", str(seat.address))
        site["control-2"].start("sleep", "600")
        site.remove("control-2")
        assert "control-2" not in " ".join(remains_of(site.name))
        site.add(seat)
        site.client.run("ping", "-n", "-c1", "-W5", str(seat.address))


@pytest.mark.parametrize("error", [AssertionError, KeyboardInterrupt])
def test_nothing_is_left_when_a_test_fails(tmp_path: Path, error: type[BaseException]) -> None:
    pids: list[int] = []
    with pytest.raises(error), opened_site(tmp_path, TINY) as site:  # noqa: PT012 - it is the test
        node = site["control-0"]
        # One that leaves its parent and its session, as daemons do.
        node.start("sh", "-c", "setsid sleep 600 & sleep 600")
        node.group.freeze()
        pids = [*node.group.pids, node.keeper]
        assert remains_of(site.name)
        raise error
    assert remains_of(site.name) == ()
    # Orphans are there until whoever is their parent now has taken note of their death.
    eventually(lambda: not [p for p in pids if Path(f"/proc/{p}").exists()], within=30, every=0.05)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_tests_are_killed(tmp_path: Path, ending: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OPENED_BY_ANOTHER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        text=True,
    ) as tests:
        assert tests.stdout is not None
        name = tests.stdout.readline().strip()
        assert remains_of(name)
        tests.send_signal(ending)
        tests.wait(30)
    eventually(lambda: not remains_of(name), within=30, every=0.05)
