"""Ironic knows the server: before every other work, and again whenever it has forgotten it."""

from __future__ import annotations

from typing import Final

from ingot.ironic.states import ProvisionState
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import counting, credentials, inspecting, rootdisk
from ingot.metal3.host.failing import clear_error, fail, stand
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.observation import RamdiskState
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Beginning, Outcome, Turn
from ingot.metal3.node.goal import Register
from ingot.metal3.node.progress import Done, Failed, Waiting

__all__ = ["arriving", "not_registered", "ramdisk_not_ready", "registering", "unmanaged"]

SILENT: Final = (
    "its BMC answers slowly or not at all, and Ironic goes on asking: see whether its address is "
    "right, and whether it can be reached"
)


def arriving(turn: Turn) -> Outcome:
    """Take in a new host."""
    if _has_bmc(turn):
        return become(turn, ProvisioningState.REGISTERING, "registering the server with Ironic")
    turn.tell(EventReason.DISCOVERED, "found a host without the address of a BMC")
    turn.count(counting.UNMANAGED)
    return become(turn, ProvisioningState.UNMANAGED, "waiting for the address of its BMC")


def unmanaged(turn: Turn) -> Outcome:
    """Wait until somebody says how the server is reached."""
    if _has_bmc(turn):
        return become(turn, ProvisioningState.REGISTERING, "registering the server with Ironic")
    return Outcome("waiting for the address of its BMC", turn.settings.delays.unmanaged)


def registering(turn: Turn) -> Outcome:
    """Go on: whoever comes here is registered."""
    if not rootdisk.is_known_profile(turn.spec):
        why = f'there is no hardware profile "{turn.spec.hardware_profile}"'
        return stand(turn, ErrorType.REGISTRATION, why, every=turn.settings.delays.hopeless)
    if turn.spec.externally_provisioned:
        return become(
            turn, ProvisioningState.EXTERNALLY_PROVISIONED, "taking over a server that runs already"
        )
    if inspecting.is_disabled(turn):
        turn.tell(EventReason.INSPECTION_SKIPPED, "the host is not to be inspected")
        return become(turn, ProvisioningState.PREPARING, "preparing without an inspection")
    return become(turn, ProvisioningState.INSPECTING, "inspecting the hardware")


def ramdisk_not_ready(turn: Turn) -> Outcome | None:
    """Return that there is no ramdisk to boot yet, if so."""
    ramdisk, delays = turn.seen.ramdisk, turn.settings.delays
    if ramdisk.state is RamdiskState.READY:
        turn.forget(Memory.WAITING_FOR_RAMDISK)
        return None
    if ramdisk.state is RamdiskState.FAILED:
        why = f"its ramdisk cannot be made: {ramdisk.why or 'no reason was given'}"
        return stand(turn, ErrorType.REGISTRATION, why, every=delays.ramdisk_not_ready)
    if turn.recall(Memory.WAITING_FOR_RAMDISK) is None:
        turn.count(counting.WAITING_FOR_RAMDISK)
    turn.remember(Memory.WAITING_FOR_RAMDISK, "its PreprovisioningImage is not ready")
    return Outcome("waiting for its PreprovisioningImage", delays.ramdisk_not_ready)


def not_registered(turn: Turn) -> Outcome | None:
    """Return what is done so that Ironic knows the server and reaches its BMC; None if it does.

    A server that runs is not touched by this. A node that Ironic has lost is made anew, and then
    adopted by whoever finds its host provisioned.
    """
    failed = turn.has_error(ErrorType.REGISTRATION) and not _is_silent(turn)
    goal = Register(again=credentials.are_new(turn) or failed)
    step = turn.ask(goal)
    if isinstance(step, Done):
        credentials.found_good(turn)
        if turn.has_error(ErrorType.REGISTRATION):
            clear_error(turn)
        return None
    if isinstance(step, Failed):
        credentials.tried(turn)
        turn.count(counting.CREDENTIALS_NO_ACCESS)
        return fail(turn, ErrorType.REGISTRATION, step.why, retryable=step.retryable)
    if isinstance(step, Waiting) and _hears_nothing(turn):
        return stand(turn, ErrorType.REGISTRATION, SILENT, every=step.seconds)
    if turn.has_error(ErrorType.REGISTRATION):
        clear_error(turn)
    if isinstance(step, Beginning):
        credentials.tried(turn)
        turn.calls_first = True
        if turn.seen.node is None:
            turn.tell(EventReason.REGISTERED, "registering the server with Ironic")
            if turn.status.provisioning.id:
                turn.count(counting.REGISTRATION_REQUIRED)
    return turn.follow(goal, step)


def _hears_nothing(turn: Turn) -> bool:
    """Return whether Ironic asks the BMC, and has done so for long."""
    node = turn.seen.node
    if node is None or node.state is not ProvisionState.VERIFYING or node.since is None:
        return False
    return (turn.now - node.since).total_seconds() > turn.settings.silent_bmc


def _is_silent(turn: Turn) -> bool:
    """Return whether the error is that the BMC is still being asked: nothing has failed yet."""
    return turn.status.error_message == SILENT


def _has_bmc(turn: Turn) -> bool:
    bmc = turn.spec.bmc
    return bmc is not None and bool(bmc.address or bmc.credentials_name)
