"""Each fault does what it says, and is undone."""

from __future__ import annotations

import re
import statistics
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.onprem_site.faults import Faults
from tests.onprem_site.node import Node
from tests.onprem_site.site import Site

PYTHON = Path(sys.executable).name
COUNTING = "import time\nwhile True: print(time.monotonic(), flush=True); time.sleep(0.01)"


@pytest.fixture
def here(site: Site) -> Node:
    return site["control-0"]


@pytest.fixture
def there(site: Site) -> Node:
    return site["control-1"]


def ping(source: Node, target: Node, *flags: str, version: int = 4) -> str:
    """Return what ping says, whether or not it was answered."""
    address = next(str(a) for a in target.seat.addresses if a.version == version)
    return source.run("sh", "-c", f"ping -n {' '.join(flags)} {address} || true")


def is_heard(source: Node, target: Node) -> bool:
    answers = (ping(source, target, "-c1", "-W0.3", version=version) for version in (4, 6))
    return all(", 1 received" in answer for answer in answers)


def hears(source: Node, target: Node) -> bool:
    """Tell that it is heard, also where that takes a moment."""
    return eventually(lambda: is_heard(source, target), within=10, every=0.05)


def know(*nodes: Node) -> None:
    """Let nodes know each other's MACs for good, so that a lost question for one costs nothing."""
    for node in nodes:
        for other in nodes:
            if other != node:
                where = (str(other.seat.address), "lladdr", other.seat.mac, "dev", "eth0")
                node.run("ip", "neighbour", "replace", *where, "nud", "permanent")


def lost_percent(said: str) -> float:
    found = re.search(r"([\d.]+)% packet loss", said)
    assert found is not None, said
    return float(found[1])


def counts(node: Node) -> bool:
    """Tell whether the counting program moves, by a look at it twice."""
    log = node.folder / "counting.log"
    before = log.stat().st_size
    try:
        eventually(lambda: log.stat().st_size > before, within=1, every=0.02)
    except TimeoutError:
        return False
    return True


def start_counting(node: Node) -> None:
    node.start(sys.executable, "-u", "-c", COUNTING, name="counting")
    eventually(lambda: counts(node), within=10, every=0.01)


def test_a_partition_is_between_its_sides_alone_and_hides_nobody_from_the_observer(
    site: Site, faults: Faults
) -> None:
    first, second, third = (site[f"control-{number}"] for number in range(3))
    faults.partition({"control-0"}, {"control-1", "client"})
    assert not is_heard(first, second)
    assert not is_heard(second, first)
    assert not is_heard(site.client, first)
    assert hears(third, first)
    assert hears(third, second)
    assert hears(site.client, second)
    assert hears(site.observer, first)
    faults.heal()
    assert hears(first, second)


def test_a_cut_link_is_seen_by_the_card(
    site: Site, faults: Faults, here: Node, there: Node
) -> None:
    faults.cut("control-0")
    assert "NO-CARRIER" in here.run("ip", "link", "show", "dev", "eth0")
    assert not is_heard(there, here)
    assert not is_heard(site.observer, here)
    faults.mend("control-0")
    assert hears(there, here)


def test_a_frozen_node_does_nothing_and_answers_nobody(
    site: Site, faults: Faults, here: Node
) -> None:
    start_counting(here)
    faults.freeze("control-0")
    assert not is_heard(site.observer, here)
    assert not counts(here)
    assert "NO-CARRIER" not in here.run("ip", "link", "show", "dev", "eth0")
    faults.thaw("control-0")
    assert hears(site.observer, here)
    assert counts(here)


def test_a_paused_program_stands_still_while_its_kernel_answers(
    site: Site, faults: Faults, here: Node
) -> None:
    start_counting(here)
    faults.pause("control-0", PYTHON)
    assert not counts(here)
    assert hears(site.observer, here)
    faults.resume("control-0", PYTHON)
    assert counts(here)


def test_a_node_without_power_comes_back_with_nothing(
    site: Site, faults: Faults, here: Node
) -> None:
    start_counting(here)
    vip = site.plan.all_clusters[0].api_vips[0]
    here.run("ip", "address", "add", f"{vip}/32", "dev", "eth0")
    here.run("nft", "add", "table", "ip", "something")
    here.run("touch", "/run/something")
    faults.power_off("control-0")
    assert not is_heard(site.observer, here)
    faults.power_on("control-0")
    assert hears(site.observer, here)
    assert not here.group.pids
    assert not here.vips()
    assert not here.run("ls", "/run")
    assert not here.run("nft", "list", "ruleset")


def test_a_fifth_of_all_frames_is_lost_but_not_those_of_the_observer(
    site: Site, faults: Faults, here: Node, there: Node
) -> None:
    know(here, there)
    faults.lose(20)
    quick = ("-c500", "-i0.002", "-W0.5", "-q")
    assert 28 < lost_percent(ping(here, there, *quick)) < 44  # 36 % of there and back
    assert lost_percent(ping(site.observer, there, *quick)) == 0
    faults.lose(0)
    assert lost_percent(ping(here, there, *quick)) == 0


def test_frames_of_one_node_are_lost_and_those_of_others_are_not(
    site: Site, faults: Faults, here: Node, there: Node
) -> None:
    know(here, there)
    faults.lose(50, "control-0")
    quick = ("-c300", "-i0.002", "-W0.5", "-q")
    assert 65 < lost_percent(ping(here, there, *quick)) < 85
    assert lost_percent(ping(site["control-2"], there, *quick)) == 0
    faults.lose(0, "control-0")
    assert lost_percent(ping(here, there, *quick)) == 0


@pytest.mark.parametrize("version", [4, 6])
def test_frames_are_held_up_each_for_its_own_time_but_not_those_of_the_observer(
    site: Site, faults: Faults, here: Node, version: int
) -> None:
    faults.delay(0.2, "control-1")
    there = site["control-1"]
    said = ping(here, there, "-c100", "-i0.02", "-W2", version=version)
    times = [float(found) for found in re.findall(r"time=([\d.]+)", said)]
    assert lost_percent(said) < 3
    # There and back: two delays of 100 ms on average, and what the machine is late.
    assert 150 < statistics.median(times) < 300
    assert min(times) < 100
    assert statistics.stdev(times) > 40
    observed = ping(site.observer, there, "-c20", "-i0.02", "-W2", version=version)
    assert statistics.median(map(float, re.findall(r"time=([\d.]+)", observed))) < 20
    faults.delay(0, "control-1")
    said = ping(here, there, "-c10", "-i0.02", "-W2", version=version)
    assert statistics.median(map(float, re.findall(r"time=([\d.]+)", said))) < 20


def test_large_packets_pass_a_node_whose_frames_are_held_up(
    faults: Faults, here: Node, there: Node
) -> None:
    faults.delay(0.01, "control-1")
    serving = "import socket,sys\ns=socket.create_server(('',7000))\nprint('up',flush=True)\n"
    serving += "c,_=s.accept()\nn=0\nwhile d:=c.recv(65536): n+=len(d)\nprint(n,flush=True)"
    server = there.start(sys.executable, "-c", serving, name="sink", talking=True)
    assert server.line(within=10) == "up"
    sending = f"import socket\nc=socket.create_connection(('{there.seat.address}',7000))\n"
    here.run(
        "timeout", "30", sys.executable, "-c", sending + "c.sendall(bytes(3000000))\nc.close()"
    )
    assert server.line(within=30) == "3000000"
    server.wait()


def test_a_starved_node_gets_its_share_of_one_processor(faults: Faults, here: Node) -> None:
    faults.starve("control-0", 0.1)
    busy = eventually(lambda: here.pids("sh") or None, within=10, every=0.01)[0]
    assert 0.05 < share_of(busy, seconds=1.0) < 0.2
    faults.feed("control-0")
    assert not here.group.pids


def test_a_clock_jumps_for_its_node_alone_and_monotonic_time_goes_on(
    faults: Faults, here: Node, there: Node
) -> None:
    telling = (
        "import sys,time\nfor _ in sys.stdin: print(time.time(), time.monotonic(), flush=True)"
    )
    clocks = [
        node.start(sys.executable, "-u", "-c", telling, name="clock", talking=True)
        for node in (here, there)
    ]
    faults.jump("control-0", -3600)
    (day, monotonic), (other_day, _) = (map(float, clock.ask("").split()) for clock in clocks)
    assert day == pytest.approx(time.time() - 3600, abs=1)
    assert other_day == pytest.approx(time.time(), abs=1)
    assert monotonic == pytest.approx(time.monotonic(), abs=1)
    faults.jump("control-0", 0)
    assert float(clocks[0].ask("").split()[0]) == pytest.approx(time.time(), abs=1)


def test_everything_is_right_again_when_all_is_undone(
    site: Site, faults: Faults, here: Node, there: Node
) -> None:
    start_counting(here)
    faults.partition({"control-0"}, {"control-1"})
    faults.lose(50)
    faults.lose(50, "control-1")
    faults.delay(0.2, "control-0", "control-2")
    faults.cut("control-1")
    faults.starve("control-2", 0.05)
    faults.pause("control-0", PYTHON)
    faults.freeze("control-0")
    faults.undo()
    assert hears(here, there)
    assert counts(here)
    quick = ("-c100", "-i0.002", "-W0.5", "-q")
    assert lost_percent(ping(here, there, *quick)) == 0
    assert not site["control-2"].group.pids


def share_of(pid: int, *, seconds: float) -> float:
    """Return how much of a processor a process gets."""

    def used() -> float:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()
        return (int(fields[13]) + int(fields[14])) / 100

    before, begun = used(), time.monotonic()
    time.sleep(seconds)
    return (used() - before) / (time.monotonic() - begun)
