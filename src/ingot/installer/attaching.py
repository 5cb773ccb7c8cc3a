"""Waiting for an install that another command makes; it does not hold the directory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ingot.assets import kubeconfig
from ingot.config.model import InstallConfig
from ingot.errors import IngotError
from ingot.installer import bootstrapvm
from ingot.installer.apiview import ApiView
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import COMPLETE, Entry, InstallJournal
from ingot.installer.phase import Phase
from ingot.installer.progress import Listener, PhaseTimes, Progress
from ingot.installer.roles import roles_of
from ingot.installer.settling import Settling
from ingot.installer.vmdriver import driver_of
from ingot.installer.waiting import BootstrapFailed, Waiting

__all__ = [
    "NothingBegun",
    "bootstrap_is_complete",
    "latest_run",
    "wait_for_bootstrap",
    "wait_for_install",
]

LOOK_SECONDS = 1.0


class NothingBegun(IngotError):  # noqa: N818 - it says what was seen
    """There is no install to wait for."""

    def __init__(self, directory: InstallDirectory) -> None:
        super().__init__(
            f"no cluster is being made in {directory.path}",
            remedy="run `ingot create cluster`, or give its --dir",
        )


def bootstrap_is_complete(directory: InstallDirectory) -> bool:
    """Return whether the bootstrap is known to have done its work."""
    done = {Phase.CLEAN_UP.value, COMPLETE}
    return any(entry.what in done for entry in InstallJournal(directory.journal).entries())


def wait_for_bootstrap(
    directory: InstallDirectory,
    config: InstallConfig,
    *,
    limits: Mapping[Phase, float],
    listener: Listener,
) -> Progress:
    """Wait until the bootstrap's work is done.

    Args:
        directory: the install's.
        config: the cluster as asked for.
        limits: how long each phase may take.
        listener: told of every change.

    Raises:
        NothingBegun: nobody makes a cluster here.
        BootstrapFailed: a phase took longer than it may, or nothing goes on without a person.
        HostFailed: a server has failed too often, or cannot but fail.
    """
    journal = InstallJournal(directory.journal)
    if not journal.phases():
        raise NothingBegun(directory)
    progress = _until_vm(directory, journal, limits=limits, listener=listener)
    if bootstrap_is_complete(directory):
        return progress
    driver = driver_of(directory)
    if driver is None:
        raise NothingBegun(directory)
    waiting = Waiting.of(
        driver,
        bootstrapvm.NAME,
        ApiView(directory.path / kubeconfig.PATH, roles_of(config)),
        limits=limits,
        listener=listener,
        progress=progress,
    )
    try:
        return asyncio.run(waiting.until_complete())
    except BootstrapFailed:
        # Whoever makes the cluster may have been told sooner, and have removed the VM since.
        if bootstrap_is_complete(directory):
            return waiting.progress
        raise


def wait_for_install(
    directory: InstallDirectory,
    config: InstallConfig,
    *,
    limits: Mapping[Phase, float],
    listener: Listener,
) -> Progress:
    """Wait until the whole cluster is there, also where the bootstrap is still under way.

    It does not matter who sees it first: whoever makes the cluster, or this.

    Args:
        directory: the install's.
        config: the cluster as asked for.
        limits: how long each phase may take.
        listener: told of every change.

    Raises:
        NothingBegun: nobody makes a cluster here.
        BootstrapFailed: as for the bootstrap.
        HostFailed: a server has failed too often, or cannot but fail.
        WorkersMissing: workers did not come in time.
        NotStable: what runs in the cluster was not available in time.
    """
    progress = wait_for_bootstrap(directory, config, limits=limits, listener=listener)
    journal = InstallJournal(directory.journal)
    if journal.is_complete:
        return progress
    settling = Settling.of(
        directory.path / kubeconfig.PATH,
        config,
        limits=limits,
        listener=listener,
        progress=progress,
    )
    settling.is_enough = lambda: journal.is_complete
    return asyncio.run(settling.until_settled())


def _until_vm(
    directory: InstallDirectory,
    journal: InstallJournal,
    *,
    limits: Mapping[Phase, float],
    listener: Listener,
) -> Progress:
    """Follow the journal as long as it alone can tell: until the VM is being made."""
    progress = Progress()
    deadline = time.monotonic() + sum(limits[one] for one in _BEFORE_VM)
    while True:
        seen = replace(progress, phases=latest_run(journal.entries()))
        if seen != progress:
            progress = seen
            listener(progress)
        if directory.has_begun:
            return progress
        if time.monotonic() > deadline:
            raise BootstrapFailed(
                f"the bootstrap VM is not there, and {progress.phase} does not end",
                remedy="see whether `ingot create cluster` still runs; run it again: it goes on",
            )
        time.sleep(LOOK_SECONDS)


def latest_run(entries: Iterable[Entry]) -> tuple[PhaseTimes, ...]:
    """Return the phases of the last time that the cluster was being made.

    How long a phase takes is counted from there: before, nobody may have worked for days.
    """
    times: dict[Phase, PhaseTimes] = {}
    for entry in entries:
        if entry.what not in _NAMES:
            continue
        phase = Phase(entry.what)
        if entry.state != "began":
            if phase in times:
                times[phase] = replace(times[phase], ended=entry.at)
            continue
        if phase in times or phase is Phase.CHECKS:
            times.clear()  # No run begins a phase twice.
        times[phase] = PhaseTimes(phase=phase, began=entry.at)
    return tuple(times.values())


_NAMES = frozenset(phase.value for phase in Phase)
_BEFORE_VM = (Phase.CHECKS, Phase.IMAGES, Phase.ASSETS)
