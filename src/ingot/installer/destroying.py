"""Taking a cluster away: its bootstrap VM gone, its servers off and without media.

It goes by what is written down, not by how far the creation came: it works after a half-finished
one, after half of itself, and without an API. What cannot be done is told for each server, and the
rest is done all the same. Where no cluster was begun, no server is touched: what its BMC would
switch off is somebody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.config.loading import load
from ingot.config.model import Host
from ingot.errors import ExitCode, IngotError
from ingot.installer import bootstrapvm
from ingot.installer.directory import InstallDirectory
from ingot.installer.forgetting import Forgotten, forget
from ingot.installer.serverpower import PATIENCE, SwitchedOff, servers_of, switch_all_off
from ingot.installer.targets import ConfigInvalid, requested
from ingot.installer.vmdriver import driver_of
from ingot.machine.hypervisor import HypervisorError

__all__ = ["Ended", "LeftBehind", "Say", "destroy_bootstrap", "destroy_cluster"]

Say = Callable[[str], None]
VM = "bootstrap VM"
DRIVE = ("config-2.iso", "config-2.iso.new")


class LeftBehind(IngotError):  # noqa: N818 - it says what was seen
    """Something of the cluster could not be taken away.

    Attributes:
        failed: each server, or the bootstrap VM, with why.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, failed: Mapping[str, str], directory: InstallDirectory) -> None:
        named = "; ".join(f"{name}: {why}" for name, why in failed.items())
        super().__init__(
            f"not everything could be taken away: {named}",
            remedy="mend it, then run `ingot destroy cluster` again: it goes on; if they are gone "
            f"for good, remove {directory.hidden}",
        )
        self.failed = failed


@dataclass(frozen=True, slots=True)
class Ended:
    """What was taken away.

    Attributes:
        begun: whether there was anything.
        vm: whether there was a bootstrap VM.
        servers: what came of each.
        files: what became of the files; None as long as something is left behind.
        failed: the servers, or the bootstrap VM, that could not be taken away, with why.
    """

    begun: bool
    vm: bool = False
    servers: Mapping[str, SwitchedOff] = field(default_factory=dict)
    files: Forgotten | None = None
    failed: Mapping[str, str] = field(default_factory=dict)


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


def destroy_cluster(directory: InstallDirectory, *, say: Say, patience: float = PATIENCE) -> Ended:
    """Take a cluster away; whoever asks holds the directory.

    Args:
        directory: the cluster's.
        say: told what is done, as it is.
        patience: how long a BMC may take.

    Raises:
        ConfigInvalid: nothing tells which servers there are.
        StateUnusable: as there.
    """
    if not directory.has_begun:
        return Ended(begun=False)
    state = directory.state()
    hosts, authorities = _hosts(directory, state.config)
    # First: what runs in it would switch servers on again.
    failed: dict[str, str] = {}
    there = False
    try:
        there = destroy_bootstrap(directory)
        say("the bootstrap VM is gone" if there else "there is no bootstrap VM")
    except IngotError as refused:
        failed[VM] = refused.what
        say(f"the bootstrap VM could not be removed: {refused.what}")
    servers, unknown = servers_of(hosts, authorities)
    for name, why in unknown.items():
        say(f"{name}: {why}")
    switched = {
        **switch_all_off(servers, patience=patience, on_off=lambda *done: say(_told(*done))),
        **{name: SwitchedOff(failed=why) for name, why in unknown.items()},
    }
    failed |= {name: one.failed for name, one in switched.items() if one.failed}
    ended = Ended(begun=True, vm=there, servers=switched, failed=failed)
    return ended if failed else replace(ended, files=forget(directory, state))


def _hosts(directory: InstallDirectory, used: bytes) -> tuple[Sequence[Host], str]:
    """Return the servers: those of the file as it is now, and those that were in it before.

    Somebody may have corrected a password since, or have taken a server out.
    """
    before = load(used).config if used else None
    try:
        now = requested(directory).config
    except ConfigInvalid:
        if before is None:
            raise
        now = before
    names = {host.name for host in now.baremetal.hosts}
    gone = before.baremetal.hosts if before else ()
    hosts = (*now.baremetal.hosts, *(host for host in gone if host.name not in names))
    return hosts, now.baremetal.bmc_verify_ca


def _told(name: str, outcome: SwitchedOff) -> str:
    if outcome.failed:
        return f"{name}: {outcome.failed}"
    ejected = f", {', '.join(outcome.ejected)} ejected" if outcome.ejected else ""
    return f"{name}: {'switched off' if outcome.was_on else 'was off'}{ejected}"
