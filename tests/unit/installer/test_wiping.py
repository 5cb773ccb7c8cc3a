"""Wiping disks: when it is over, what came of it, and what is remembered between runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, PhaseTimes, Progress
from ingot.installer.wipejournal import (
    BeingWiped,
    check_not_wiped,
    clean_in,
    note_begun,
    note_clean,
    note_ended,
)
from ingot.installer.wipeoutcome import TRIES, is_settled, outcome
from ingot.installer.wiping import with_hosts
from tests.unit.assets.clusters import cluster

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
LIMIT = 3600.0
NAMES = ("cp-0", "cp-1")

CLEAN = HostProgress(name="cp-1", state="available")
BUSY = HostProgress(name="cp-0", state="deprovisioning")
FAILED = HostProgress(name="cp-0", state="deprovisioning", error="no boot", attempts=1)
HOPELESS = HostProgress(name="cp-0", state="deprovisioning", error="no boot", attempts=TRIES)
AGAIN = HostProgress(name="cp-0", state="deprovisioning", attempts=TRIES)


def settled(*hosts: HostProgress, after: float = 60.0, phase: Phase = Phase.HOSTS) -> bool:
    progress = Progress(phases=(PhaseTimes(phase=phase, began=BEGAN),), hosts=hosts)
    return is_settled(progress, NAMES, now=BEGAN + timedelta(seconds=after), limit=LIMIT)


@pytest.mark.parametrize(
    ("other", "over"),
    [
        pytest.param(HostProgress(name="cp-0", state="available"), True, id="clean"),
        pytest.param(BUSY, False, id="being cleaned"),
        pytest.param(FAILED, False, id="failed once, and tried again"),
        pytest.param(HOPELESS, True, id="failed again and again"),
        pytest.param(AGAIN, False, id="at its next try"),
    ],
)
def test_it_is_over_when_each_server_is_clean_or_given_up(other: HostProgress, over: bool) -> None:  # noqa: FBT001 - a case
    assert settled(CLEAN, other) is over


def test_a_server_that_was_not_seen_yet_is_waited_for() -> None:
    assert not settled(CLEAN)


def test_before_the_servers_turn_nothing_is_over() -> None:
    assert not settled(CLEAN, HOPELESS, phase=Phase.SERVICES, after=LIMIT * 2)


def test_a_server_may_take_as_long_as_the_limit_says() -> None:
    assert not settled(CLEAN, BUSY, after=LIMIT - 1)
    assert settled(CLEAN, BUSY, after=LIMIT)


@pytest.mark.parametrize(
    ("hosts", "why"),
    [
        ((CLEAN, HOPELESS), "its disks were not cleaned: no boot"),
        ((CLEAN, BUSY), "its disks were not cleaned: it was still deprovisioning"),
        ((CLEAN,), "its disks were not cleaned: nothing was heard of it"),
    ],
)
def test_a_server_that_is_not_clean_is_named_with_why(
    hosts: tuple[HostProgress, ...], why: str
) -> None:
    found = outcome(hosts, NAMES)
    assert found.names == {"cp-1"}
    assert found.failed == {"cp-0": why}


def test_servers_that_are_clean_stay_known_over_runs(tmp_path: Path) -> None:
    journal = InstallJournal(tmp_path / "journal")
    note_begun(journal)
    note_clean(journal, {"cp-1", "cp-0"})
    note_clean(journal, {"cp-1", "worker-0"})
    note_ended(journal)
    again = InstallJournal(tmp_path / "journal")
    assert clean_in(again.entries()) == {"cp-0", "cp-1", "worker-0"}
    assert len(list(again.entries())) == len(["began", "cp-0", "cp-1", "worker-0", "ended"])
    assert again.phases() == ()


def test_a_cluster_whose_wiping_has_begun_is_not_gone_on_with(tmp_path: Path) -> None:
    journal = InstallJournal(tmp_path / "journal")
    journal.add(Phase.BOOTSTRAP_VM.value, "began")
    check_not_wiped(journal)
    note_begun(journal)
    with pytest.raises(BeingWiped) as refused:
        check_not_wiped(journal)
    assert "ingot destroy cluster --wipe" in refused.value.remedy


def test_a_config_with_other_hosts_is_the_same_cluster() -> None:
    config = cluster()
    some = config.baremetal.hosts[1:3]
    found = with_hosts(config, some)
    assert found.baremetal.hosts == some
    assert found.baremetal.api_vips == config.baremetal.api_vips
    assert found.cluster_domain == config.cluster_domain
