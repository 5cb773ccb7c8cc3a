"""Taking a cluster away: its bootstrap VM gone, its servers off and without media.

Where it is asked for, their disks are wiped while they are off for everybody else: see `wiping`.

It goes by what is written down, not by how far the creation came: it works after a half-finished
one, after half of itself, and without an API. Where there is one, servers that were added to the
cluster later go too. What cannot be done is told for each server, and the
rest is done all the same. Where no cluster was begun, no server is touched: what its BMC would
switch off is somebody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.config.loading import load
from ingot.config.model import Host, InstallConfig
from ingot.errors import ExitCode, IngotError
from ingot.installer import bootstrapvm
from ingot.installer.addedservers import AddedServers, look_for_added
from ingot.installer.directory import InstallDirectory
from ingot.installer.forgetting import Forgotten, forget
from ingot.installer.journal import InstallJournal
from ingot.installer.serverpower import (
    PATIENCE,
    SwitchedOff,
    servers_of,
    switch_all_off,
)
from ingot.installer.targets import ConfigInvalid, requested
from ingot.installer.vmdriver import driver_of
from ingot.installer.vmimages import VmImages
from ingot.installer.wipejournal import clean_in
from ingot.installer.wiping import Wiping, with_hosts
from ingot.machine.hypervisor import HypervisorError

__all__ = [
    "Ended",
    "LeftBehind",
    "Say",
    "ServersUnknown",
    "destroy_bootstrap",
    "destroy_cluster",
]

Say = Callable[[str], None]
VM = "bootstrap VM"
DISKS = "disks"
DRIVE = ("config-2.iso", "config-2.iso.new")


class LeftBehind(IngotError):  # noqa: N818 - it says what was seen
    """Something of the cluster could not be taken away.

    Attributes:
        failed: each server, or the bootstrap VM, with why.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(
        self, failed: Mapping[str, str], directory: InstallDirectory, *, wipe: bool = False
    ) -> None:
        named = "; ".join(f"{name}: {why}" for name, why in failed.items())
        again = "`ingot destroy cluster` again: it goes on"
        if wipe:
            again = (
                "`ingot destroy cluster --wipe` again: it goes on; without --wipe, the disks "
                "that are left stay as they are"
            )
        super().__init__(
            f"not everything could be taken away: {named}",
            remedy=f"mend it, then run {again}; if they are gone for good, remove "
            f"{directory.hidden}",
        )
        self.failed = failed


class ServersUnknown(IngotError):  # noqa: N818 - as above
    """Nothing tells which servers a cluster has."""

    exit_code = ExitCode.INSTALL_CONFIG

    def __init__(self, directory: InstallDirectory) -> None:
        super().__init__(
            f"{directory.config_file} is gone, and nothing else tells which servers the cluster "
            "has; nothing was destroyed",
            remedy="put it back, and run the same command again",
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """What was taken away.

    Attributes:
        begun: whether there was anything.
        vm: whether there was a bootstrap VM.
        servers: what came of each.
        wiped: the servers whose disks were wiped, now or in an earlier run.
        files: what became of the files; None as long as something is left behind.
        failed: the servers, or the bootstrap VM, that could not be taken away, with why.
        spared: the servers of the cluster that stay as they are, with why.
        added_unknown: whether servers may have been added that nobody can tell of any more.
    """

    begun: bool
    vm: bool = False
    servers: Mapping[str, SwitchedOff] = field(default_factory=dict)
    wiped: frozenset[str] = frozenset()
    files: Forgotten | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    spared: Mapping[str, str] = field(default_factory=dict)
    added_unknown: bool = False


def destroy_bootstrap(directory: InstallDirectory) -> bool:
    """Remove the bootstrap VM and all that was made for it; return whether there was one.

    Whoever asks holds the directory.

    Raises:
        HypervisorError: the hypervisor is not there any more.
        MachineError: it refuses.
    """
    driver = driver_of(directory)
    if driver is None or not directory.has_begun:
        return False
    try:
        there = bootstrapvm.NAME in driver.machines()
        bootstrapvm.destroy(driver)
    except OSError as missing:
        raise HypervisorError(
            f"what runs the bootstrap VM cannot be reached: {missing}",
            remedy="start it again, for a lab with `ingot lab start`, and repeat",
        ) from missing
    for name in DRIVE:
        (directory.hidden / "machines" / name).unlink(missing_ok=True)
    return there


def destroy_cluster(
    directory: InstallDirectory,
    *,
    say: Say,
    patience: float = PATIENCE,
    wiping: Wiping | None = None,
) -> Ended:
    """Take a cluster away; whoever asks holds the directory.

    Args:
        directory: the cluster's.
        say: told what is done, as it is.
        patience: how long a BMC may take.
        wiping: wipes the servers' disks; None leaves them as they are.

    Raises:
        ServersUnknown: nothing tells which servers there are.
        ConfigInvalid: as there.
        CannotWipe: disks cannot be wiped, and nothing was destroyed.
        StateUnusable: as there.
        DirectoryUnusable: what the API tells cannot be written down.
    """
    if not directory.has_begun:
        directory.journal.unlink(missing_ok=True)  # Of checks that were not passed, at most.
        return Ended(begun=False)
    state = directory.state()
    asked = _asked(directory, state.config)
    # First: the API that knows them goes with the servers.
    added = look_for_added(directory, asked.baremetal.hosts)
    _tell_of(added, say)
    config = with_hosts(asked, (*asked.baremetal.hosts, *added.hosts))
    done = clean_in(InstallJournal(directory.journal).entries())
    left = [
        host
        for host in config.baremetal.hosts
        if host.name not in done and host.name not in added.unwipeable
    ]
    images = wiping.prepared() if wiping and left else None
    failed = {one.name: one.failed for one in added.servers if one.failed}
    # Then this: what runs in it would switch servers on again.
    there = _without_vm(directory, failed)
    if VM in failed:
        say(f"the bootstrap VM could not be removed: {failed[VM]}")
    else:
        say("the bootstrap VM is gone" if there else "there is no bootstrap VM")
    servers, unknown = servers_of(config.baremetal.hosts, config.baremetal.bmc_verify_ca)
    for name, why in unknown.items():
        say(f"{name}: {why}")
    switched = {
        **switch_all_off(servers, patience=patience, on_off=lambda *done: say(_told(*done))),
        **{name: SwitchedOff(failed=why) for name, why in unknown.items()},
    }
    failed |= {name: one.failed for name, one in switched.items() if one.failed}
    if wiping is not None and images is not None and VM not in failed:
        off = [one for one in servers if not switched[one.name].failed]
        named = {one.name for one in off}
        chosen = with_hosts(config, [host for host in left if host.name in named])
        failed |= _wiped(wiping, chosen, images, say)
        again = switch_all_off(off, patience=patience)
        failed |= {name: one.failed for name, one in again.items() if one.failed}
    if wiping is not None:
        failed |= {name: why for name, why in added.unwipeable.items() if name not in failed}
    wiped = clean_in(InstallJournal(directory.journal).entries())
    ended = Ended(
        begun=True,
        vm=there,
        servers=switched,
        wiped=wiped,
        failed=failed,
        spared={one.name: one.spared for one in added.servers if one.spared},
        added_unknown=added.unknown,
    )
    return ended if failed else replace(ended, files=forget(directory, state))


def _tell_of(added: AddedServers, say: Say) -> None:
    if added.unknown:
        say(
            "the API does not answer: servers that were added to the cluster later, if there are "
            "any, are not known, and stay as they are"
        )
    for one in added.servers:
        say(f"{one.name}: {one.failed or one.spared or 'was added to the cluster later'}")


def _without_vm(directory: InstallDirectory, failed: dict[str, str]) -> bool:
    """Remove the bootstrap VM, or note why it stays; return whether there was one."""
    try:
        return destroy_bootstrap(directory)
    except IngotError as refused:
        failed[VM] = refused.what
        return False


def _wiped(wiping: Wiping, config: InstallConfig, images: VmImages, say: Say) -> Mapping[str, str]:
    """Wipe the disks of a config's servers, which are off; return what failed."""
    hosts = config.baremetal.hosts
    if not hosts:
        return {}
    failed: dict[str, str] = {}
    try:
        cleaned = wiping.clean(config, images)
    except IngotError as refused:
        failed[DISKS] = f"they were not wiped: {refused.what}"
        say(f"the disks were not wiped: {refused.what}")
    else:
        failed |= cleaned.failed
        for host in hosts:
            say(f"{host.name}: {cleaned.failed.get(host.name, 'its disks are wiped')}")
    _without_vm(wiping.directory, failed)
    return failed


def _asked(directory: InstallDirectory, used: bytes) -> InstallConfig:
    """Return the cluster with its servers: those of the file as it is, and those of before.

    Somebody may have corrected a password since, or have taken a server out.
    """
    before = load(used).config if used else None
    try:
        now = requested(directory).config
    except ConfigInvalid:
        if before is None and not directory.config_file.exists():
            raise ServersUnknown(directory) from None
        if before is None:
            raise
        now = before
    names = {host.name for host in now.baremetal.hosts}
    gone: Sequence[Host] = before.baremetal.hosts if before else ()
    return with_hosts(
        now, (*now.baremetal.hosts, *(host for host in gone if host.name not in names))
    )


def _told(name: str, outcome: SwitchedOff) -> str:
    if outcome.failed:
        return f"{name}: {outcome.failed}"
    ejected = f", {', '.join(outcome.ejected)} ejected" if outcome.ejected else ""
    return f"{name}: {'switched off' if outcome.was_on else 'was off'}{ejected}"
