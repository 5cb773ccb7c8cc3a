"""Waiting until a cluster is whole, once it stands on its own: its workers, then its add-ons.

Nothing here changes anything: the cluster makes its workers by itself. So any number of commands
may wait for the same one, and each counts its time from when it began to wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ingot.config.model import InstallConfig
from ingot.errors import ExitCode, IngotError
from ingot.installer.addons import Lack
from ingot.installer.apiview import ApiView, Seen
from ingot.installer.clusterview import ClusterView
from ingot.installer.hosttrouble import HostFailed, Trouble, after_look, given_up
from ingot.installer.phase import Phase
from ingot.installer.progress import Listener, Progress
from ingot.installer.roles import roles_of
from ingot.installer.tracking import after_phase, after_seen, ended
from ingot.installer.workers import awaited_workers, missing_machines, missing_workers

__all__ = ["NotStable", "Settling", "WorkersMissing"]

LOOK_SECONDS: Final = 3.0
STEADY_LOOKS: Final = 3
"""Looks in a row at which nothing is missing: right after the hand-over, what is said of pods may
be what was true before it."""
SILENCE: Final = "the API does not answer"

Look = Callable[[], Awaitable[Sequence[str] | None]]
"""Returns what is missing, in words; None while the API does not answer."""


class WorkersMissing(IngotError):  # noqa: N818 - it says what was seen
    """Workers did not come in time."""

    exit_code = ExitCode.INSTALL


class NotStable(IngotError):  # noqa: N818 - as above
    """The cluster is there, and not all that runs in it is available."""

    exit_code = ExitCode.NOT_STABLE


@dataclass(slots=True)
class Settling:
    """Waits for one cluster.

    Attributes:
        view: its servers.
        cluster: its workers and add-ons.
        has_workers: whether any are asked for.
        limits: how long each phase may take.
        listener: told of every change.
        progress: what is known.
        is_enough: tells that there is nothing left to wait for, by other means.
        seen: the last look at the servers.
    """

    view: ApiView
    cluster: ClusterView
    has_workers: bool
    limits: Mapping[Phase, float]
    listener: Listener
    progress: Progress
    is_enough: Callable[[], bool] = lambda: False
    seen: Seen = field(default_factory=lambda: Seen(said=None))
    _troubled: dict[str, Trouble] = field(default_factory=dict)
    _lacks: tuple[Lack, ...] = ()

    @classmethod
    def of(
        cls,
        kubeconfig: Path,
        config: InstallConfig,
        *,
        limits: Mapping[Phase, float],
        listener: Listener,
        progress: Progress,
    ) -> Settling:
        """Return one that has seen nothing yet."""
        return cls(
            ApiView(kubeconfig, roles_of(config)),
            ClusterView(kubeconfig),
            config.worker_replicas > 0,
            limits,
            listener,
            progress,
        )

    async def until_settled(self) -> Progress:
        """Wait until the cluster is whole.

        Raises:
            WorkersMissing: workers did not come in time.
            NotStable: what runs in the cluster was not available in time.
            HostFailed: a server of a worker has failed too often, or cannot but fail.
        """
        if self.has_workers:
            await self._until_nothing_is_missing(Phase.WORKERS, self._missing_workers)
        await self._until_nothing_is_missing(Phase.ADD_ONS, self._missing_add_ons)
        self._tell(ended(self.progress, now=datetime.now(UTC)))
        return self.progress

    async def _until_nothing_is_missing(self, phase: Phase, look: Look) -> None:
        self._tell(after_phase(self.progress, phase, now=datetime.now(UTC)))
        clock = asyncio.get_running_loop().time
        deadline = clock() + self.limits[phase]
        missing: Sequence[str] = ()
        steady = 0
        while not self.is_enough():
            found = await look()
            missing = missing if found is None else found
            steady = steady + 1 if found is not None and not found else 0
            if steady >= STEADY_LOOKS:
                return
            if not steady and clock() >= deadline:
                silence = [SILENCE] if found is None else []
                raise self._late(phase, "; ".join([*missing, *silence]))
            await asyncio.sleep(LOOK_SECONDS)

    def _late(self, phase: Phase, missing: str) -> IngotError:
        what = f"{phase} took longer than {self.limits[phase] / 60:.0f} minutes: {missing}"
        again = (
            "then run `ingot create cluster` again: it goes on; "
            f"`--timeout {phase}=2h` gives it more time"
        )
        kubectl = "`kubectl --kubeconfig auth/kubeconfig"
        if phase is Phase.WORKERS:
            told = f"{kubectl} -n metal3 get machinesets,machines,baremetalhosts`"
            return WorkersMissing(what, remedy=f"see {told}, mend what is wrong, {again}")
        told = f"{kubectl} {self._lacks[0].look if self._lacks else 'get pods -A'}`"
        return NotStable(what, remedy=f"see {told}, mend what is wrong, {again}")

    async def _missing_workers(self) -> Sequence[str] | None:
        fleet = await self.cluster.fleet()
        if not await self._look_at_hosts() or fleet is None:
            return None
        self._check_hosts(fleet.lacking)
        missing = missing_workers(fleet, self.progress.hosts)
        # How each server stands has a place of its own, where there is more of it.
        self._say(missing_machines(fleet) or missing)
        return missing

    async def _missing_add_ons(self) -> Sequence[str] | None:
        lacks = await self.cluster.missing_add_ons()
        if not await self._look_at_hosts() or lacks is None:
            return None
        self._lacks = lacks
        missing = [one.text for one in lacks]
        self._say(missing)
        return missing

    async def _look_at_hosts(self) -> bool:
        seen = await self.view.look()
        if seen is None:
            return False
        # The bootstrap has said its last word, which would end this phase too.
        self.seen = replace(seen, said=None)
        self._tell(after_seen(self.progress, self.seen, now=datetime.now(UTC)))
        return True

    def _check_hosts(self, lacking: int) -> None:
        moment = asyncio.get_running_loop().time()
        awaited = awaited_workers(self.progress.hosts, lacking=lacking)
        self._troubled = after_look(self._troubled, awaited, now=moment)
        failed = given_up(self._troubled, awaited, now=moment)
        if failed is not None:
            raise HostFailed(failed)

    def _say(self, missing: Sequence[str]) -> None:
        self._tell(replace(self.progress, message="; ".join(missing)))

    def _tell(self, progress: Progress) -> None:
        if progress != self.progress:
            self.progress = progress
            self.listener(progress)
