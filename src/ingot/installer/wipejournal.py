"""What the journal of an install tells of wiping: that it has begun, and which servers are clean.

Once it has begun, the cluster is not gone on with: `create cluster` would take the VM that cleans
for its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ingot.errors import IngotError
from ingot.installer.journal import Entry, InstallJournal

__all__ = [
    "BeingWiped",
    "check_not_wiped",
    "clean_in",
    "note_begun",
    "note_clean",
    "note_ended",
]

WIPE: Final = "wipe"
OF_HOST: Final = f"{WIPE}/"
"""What stands before the name of a server."""


class BeingWiped(IngotError):  # noqa: N818 - it says what was seen
    """A cluster is being destroyed, and its disks wiped."""


def check_not_wiped(journal: InstallJournal) -> None:
    """Check that nobody has begun to wipe the disks of the cluster.

    Raises:
        BeingWiped: somebody has.
    """
    if any(entry.what == WIPE for entry in journal.entries()):
        raise BeingWiped(
            "this cluster is being destroyed: its disks are wiped, or were begun to be",
            remedy="run `ingot destroy cluster --wipe` until it has ended, then create it afresh",
        )


def note_begun(journal: InstallJournal) -> None:
    """Write down that disks are being cleaned."""
    journal.add(WIPE, "began")


def note_clean(journal: InstallJournal, names: Iterable[str]) -> None:
    """Write down that servers are clean; nothing for those of which it is known."""
    known = clean_in(journal.entries())
    for name in sorted(set(names) - known):
        journal.add(f"{OF_HOST}{name}", "ended")


def note_ended(journal: InstallJournal) -> None:
    """Write down that there is nothing left to wait for."""
    journal.add(WIPE, "ended")


def clean_in(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the servers that are clean."""
    return frozenset(
        entry.what.removeprefix(OF_HOST) for entry in entries if entry.what.startswith(OF_HOST)
    )
