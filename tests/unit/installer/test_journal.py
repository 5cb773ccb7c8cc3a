"""What the journal of an install tells of its phases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_a_second_run_does_not_make_phases_longer_that_the_first_had_ended(tmp_path: Path) -> None:
    journal = InstallJournal(tmp_path / "journal")
    for what, state, when in (
        (Phase.IMAGES, "began", 0),
        (Phase.IMAGES, "ended", 1),
        (Phase.HOSTS, "began", 1),
        (Phase.IMAGES, "began", 200),  # The first run was killed.
        (Phase.IMAGES, "ended", 200),
        (Phase.HOSTS, "began", 201),
        (Phase.HOSTS, "ended", 300),
    ):
        journal.add(what.value, state, at=at(when))
    found = {one.phase: (one.began, one.ended) for one in journal.phases()}
    assert found == {Phase.IMAGES: (at(0), at(1)), Phase.HOSTS: (at(1), at(300))}
