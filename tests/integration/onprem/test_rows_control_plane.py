"""What the field's keepalived does on the control plane, row by row, and what ours does instead.

The rows are those of docs/reference/onprem-failures.md.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import (
    ADVERT,
    LATE,
    absent,
    double,
    holder,
    moved_from,
    settled,
)
from tests.integration.onprem.monitored import Monitored
from tests.integration.onprem.starting import holders_since, peers_in_file
from tests.onprem_site.nodestore import ROLE_LABELS
from tests.onprem_site.plan import Role
from tests.onprem_site.prober import Prober

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

RELOADED = "keepalived reads its peers again"
NEWCOMER, ADDRESS = "control-9", ip_address("10.88.0.29")


def test_row_reload_of_the_holder_with_the_same_or_other_peers(
    trio: Monitored, seen: Prober
) -> None:
    who = holder(trio, seen)
    before, reloads = peers_in_file(who), trio.log(who).count(RELOADED)
    begun = time.monotonic()
    parent = int((who.folder / "run/onprem/keepalived.parent.pid").read_text())
    os.kill(parent, signal.SIGHUP)
    trio.store.put(NEWCOMER, [ADDRESS], ROLE_LABELS[Role.CONTROL])
    try:
        eventually(lambda: peers_in_file(who) == {*before, str(ADDRESS)}, within=20, every=0.05)
    finally:
        trio.store.delete(NEWCOMER)
    eventually(lambda: peers_in_file(who) == before, within=20, every=0.05)
    eventually(lambda: trio.log(who).count(RELOADED) == reloads + 2, within=5, every=0.05)
    seen.wait_for(trio.api_vip, who.name, within=5, lasting=1)
    assert holders_since(trio, seen, begun) == [{who.name}]


def test_row_balancer_check_fails_on_the_holder(trio: Monitored, seen: Prober) -> None:
    old = holder(trio, seen)
    begun = time.monotonic()
    trio.faults.kill(old.name, "haproxy")
    new = moved_from(trio, seen, old, within=5)
    assert absent(trio, seen, begun) < 0.5
    assert double(trio, seen, begun) <= ADVERT + LATE
    moved = seen.wait_for(trio.api_vip, new.name, within=5)
    eventually(
        lambda: trio.standing(old, trio.api_vip).get("priority") == 60, within=30, every=0.05
    )
    eventually(lambda: settled(trio), within=10, every=0.05)
    seen.wait_for(trio.api_vip, new.name, within=5, lasting=1)
    assert holders_since(trio, seen, moved) == [{new.name}]  # It does not move back.


@contextmanager
def zombie(folder: Path) -> Iterator[int]:
    """A process named keepalived that has ended, and that nobody has buried."""
    program = folder / "keepalived"
    shutil.copy(shutil.which("true") or "/bin/true", program)
    with subprocess.Popen([program]) as process:
        state = Path("/proc", str(process.pid), "stat")
        eventually(
            lambda: state.read_text().rpartition(")")[2].split()[0] == "Z", within=10, every=0.01
        )
        assert state.read_text().partition("(")[2].startswith("keepalived)")
        yield process.pid


def test_row_start_on_a_stale_pid_file_whose_pid_is_an_unreaped_zombie(
    trio: Monitored, seen: Prober, tmp_path: Path
) -> None:
    old = holder(trio, seen)
    assert trio.stop(old) == 0
    moved_from(trio, seen, old, within=5)
    with zombie(tmp_path) as pid:
        for part in ("parent", "vrrp", "checkers", "bfd"):
            (old.folder / f"run/onprem/keepalived.{part}.pid").write_text(f"{pid}\n")
        trio.watch_over(old)
        eventually(lambda: settled(trio), within=30, every=0.1)
        assert trio.status(old)["daemons"]["keepalived"]["ends"] == 0
        before = set(old.pids("keepalived"))
        trio.faults.kill(old.name, "keepalived")
        eventually(lambda: bool(set(old.pids("keepalived")) - before), within=10, every=0.05)
        eventually(lambda: settled(trio), within=30, every=0.1)
        assert trio.status(old)["daemons"]["keepalived"]["ends"] == 1
