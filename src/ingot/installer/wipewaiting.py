"""Waiting for the VM that cleans disks, with what a person should do when it takes too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ingot.errors import ExitCode, IngotError
from ingot.installer import bootstrapvm
from ingot.installer.apiview import ApiView
from ingot.installer.phase import Phase
from ingot.installer.progress import Listener, Progress
from ingot.installer.waiting import BootstrapFailed, Waiting
from ingot.installer.wipeoutcome import Cleaned, is_settled, outcome
from ingot.machine.driver import Driver

__all__ = ["CannotWipe", "WipeWait"]


class CannotWipe(IngotError):  # noqa: N818 - it says what was seen
    """Disks cannot be cleaned."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class WipeWait:
    """How it is waited.

    Attributes:
        limits: how long each phase may take; servers that take longer are left, the others count.
        listener: told of every change.
        progress: what is known.
    """

    limits: Mapping[Phase, float]
    listener: Listener
    progress: Progress

    async def until_clean(self, driver: Driver, view: ApiView, names: Sequence[str]) -> Cleaned:
        """Wait until servers are clean, or cannot be cleaned.

        Args:
            driver: the VM's.
            view: its API.
            names: the servers.

        Raises:
            CannotWipe: the VM did not come as far as the servers.
        """
        limit = self.limits[Phase.HOSTS]
        waiting = Waiting.of(
            driver,
            bootstrapvm.NAME,
            view,
            limits={one: most for one, most in self.limits.items() if one is not Phase.HOSTS},
            listener=self.listener,
            progress=self.progress,
        )
        waiting.is_enough = lambda progress: is_settled(
            progress, names, now=datetime.now(UTC), limit=limit
        )
        try:
            progress = await waiting.until_complete()
        except BootstrapFailed as failed:
            raise CannotWipe(
                failed.what,
                remedy="mend what it waits for, and run `ingot destroy cluster --wipe` again, "
                "with `--timeout PHASE=2h` if a phase needs more time; or run it without --wipe, "
                "and the disks stay as they are",
            ) from failed
        # The last word of the VM may be newer than what was seen of its servers.
        last = await view.look()
        return outcome(last.hosts if last else progress.hosts, names)
