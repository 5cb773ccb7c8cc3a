"""Waiting for the bootstrap, as long as each phase may take, with a reason when it takes longer.

Nothing here changes anything but the VM's power: a VM that went off is switched on again, since it
goes on by itself. So any number of commands may wait for the same install.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from ingot.errors import ExitCode, IngotError
from ingot.installer.apiview import ApiView
from ingot.installer.console import ConsoleReader
from ingot.installer.hosttrouble import HostFailed, Trouble, after_look, given_up
from ingot.installer.lateness import has_lasted, lasting_since, waited_for
from ingot.installer.phase import Phase
from ingot.installer.progress import Listener, Progress
from ingot.installer.tracking import after_said, after_seen
from ingot.machine.driver import Driver, NoSuchMachine
from ingot.machine.model import Power

__all__ = ["BootstrapFailed", "HostFailed", "Waiting"]

LOOK_SECONDS = 1.0
API_EVERY = 3
"""Looks at the console for each look at the API."""


class BootstrapFailed(IngotError):  # noqa: N818 - it says what happened
    """The control plane did not come up in time, or will not."""

    exit_code = ExitCode.BOOTSTRAP


@dataclass(slots=True)
class Waiting:
    """Waits for one bootstrap.

    Attributes:
        driver: the VM's.
        name: the VM's.
        view: the cluster's API.
        limits: how long each phase may take.
        listener: told of every change.
        progress: what is known.
        is_enough: tells that there is nothing left to wait for, though the work is not done.
    """

    driver: Driver
    name: str
    view: ApiView
    limits: Mapping[Phase, float]
    listener: Listener
    progress: Progress
    _troubled: dict[str, Trouble]
    _lasting_since: float | None = None
    _complete: bool = False
    is_enough: Callable[[Progress], bool] = lambda _: False

    @classmethod
    def of(
        cls,
        driver: Driver,
        name: str,
        view: ApiView,
        *,
        limits: Mapping[Phase, float],
        listener: Listener,
        progress: Progress,
    ) -> Waiting:
        """Return one that has seen nothing yet."""
        return cls(driver, name, view, limits, listener, progress, {})

    async def until_complete(self) -> Progress:
        """Wait until the bootstrap's work is done.

        Raises:
            BootstrapFailed: a phase took longer than it may, or nothing goes on without a person.
            HostFailed: a server has failed too often, or cannot but fail.
        """
        console = await asyncio.to_thread(self._console)
        looks = 0
        while not self._complete:
            for said in console.fresh() if console else ():
                self._complete |= said.is_complete
                self._told(lambda now, said=said: after_said(self.progress, said, now=now))  # type: ignore[misc] # bound at once
            if looks % API_EVERY == 0:
                await self._look_at_api()
                await asyncio.to_thread(self._keep_on)
            looks += 1
            self._complete |= self.is_enough(self.progress)
            self._check_lasting()
            self._check_limits()
            if not self._complete:
                await asyncio.sleep(LOOK_SECONDS)
        return self.progress

    def _console(self) -> ConsoleReader | None:
        try:
            return ConsoleReader(self.driver.console(self.name))
        except NoSuchMachine:
            return None  # It was destroyed: the API alone can tell.

    async def _look_at_api(self) -> None:
        seen = await self.view.look()
        if seen is not None:
            self._complete |= seen.said is not None and seen.said.is_complete
            self._told(lambda now: after_seen(self.progress, seen, now=now))
            self._check_hosts()

    def _told(self, change: Callable[[datetime], Progress]) -> None:
        progress = change(datetime.now(UTC))
        if progress != self.progress:
            self.progress = progress
            self.listener(progress)

    def _keep_on(self) -> None:
        try:
            if not self._complete and self.driver.power(self.name) is Power.OFF:
                self.driver.power_on(self.name)
        except NoSuchMachine:
            if not self._complete:
                raise BootstrapFailed(
                    "the bootstrap VM is gone, and its work is not done",
                    remedy="run `ingot create cluster` again: it makes the VM anew",
                ) from None

    def _check_limits(self) -> None:
        if self._complete or not self.progress.phases:
            return
        now = self.progress.phases[-1]
        limit = self.limits.get(now.phase)
        if limit is None or (datetime.now(UTC) - now.began).total_seconds() < limit:
            return
        raise BootstrapFailed(
            f"{now.phase} took longer than {limit / 60:.0f} minutes: {waited_for(self.progress)}",
            remedy=f"see what it waits for, then run `ingot create cluster` again; "
            f"`--timeout {now.phase}=2h` gives it more time",
        )

    def _check_lasting(self) -> None:
        """Give up on what a person has to mend, once it has stood for a while."""
        moment = asyncio.get_running_loop().time()
        self._lasting_since = lasting_since(self.progress, self._lasting_since, now=moment)
        if not self._complete and has_lasted(self._lasting_since, now=moment):
            raise BootstrapFailed(
                f"{self.progress.phase}: {self.progress.error}",
                remedy="once that is done, run `ingot create cluster` again: it goes on",
            )

    def _check_hosts(self) -> None:
        if self._complete:
            return
        moment = asyncio.get_running_loop().time()
        awaited = [host for host in self.progress.hosts if host.is_awaited]
        self._troubled = after_look(self._troubled, awaited, now=moment)
        failed = given_up(self._troubled, awaited, now=moment)
        if failed is not None:
            raise HostFailed(failed)
