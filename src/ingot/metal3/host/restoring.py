"""What is taken over from elsewhere: a status that moved here, hardware that somebody describes."""

from __future__ import annotations

from dataclasses import replace

from pydantic_core import from_json

from ingot.metal3.api import annotation
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.hoststatus import HostStatus
from ingot.metal3.api.reading import UnreadableObject, read, read_text
from ingot.metal3.host.inspecting import is_disabled
from ingot.metal3.host.turn import Outcome, Turn

__all__ = ["restoring", "take_hardware"]


def restoring(turn: Turn) -> Outcome | None:
    """Take over the status of a host that moved here without it.

    One that cannot be read holds a host that stays. Going on without would register and inspect it
    as a new one, and so reboot a server that is in use.
    """
    text = turn.annotation(annotation.STATUS)
    if text is None:
        return None
    if turn.status.last_updated is not None:
        turn.remove_annotation(annotation.STATUS)
        return None
    try:
        said = from_json(text)
        if not isinstance(said, dict):
            raise TypeError("it is no object")  # noqa: TRY301 - one refusal for all that is wrong
        turn.status = read(HostStatus, said)
    except (UnreadableObject, ValueError, TypeError) as error:
        if turn.going:  # it is not worth holding for: whatever Ironic knows of it is removed
            return None
        turn.warn(
            EventReason.INVALID_ANNOTATION_VALUE,
            f"{annotation.STATUS} cannot be read, and nothing is done until it is corrected or "
            f"removed: {error}",
        )
        return Outcome("its status annotation cannot be read", turn.settings.delays.detached)
    turn.remove_annotation(annotation.STATUS)
    return Outcome("its status has been taken over", 0.0)


def take_hardware(turn: Turn) -> None:
    """Take over hardware that is described in an annotation or in HardwareData."""
    text = turn.annotation(annotation.HARDWARE_DETAILS)
    if text is not None and is_disabled(turn):
        turn.remove_annotation(annotation.HARDWARE_DETAILS)
        try:
            hardware = read_text(HardwareDetails, text)
        except UnreadableObject as error:
            turn.warn(
                EventReason.INVALID_ANNOTATION_VALUE,
                f"{annotation.HARDWARE_DETAILS} is not taken over: {error}",
            )
        else:
            turn.status = replace(turn.status, hardware=hardware)
            turn.hardware_data = hardware
            turn.tell(EventReason.UPDATE_HARDWARE_DETAILS, "the hardware is as the annotation says")
    elif turn.status.hardware is None and turn.seen.hardware_data is not None:
        turn.status = replace(turn.status, hardware=turn.seen.hardware_data)
    cpu = turn.status.hardware.cpu if turn.status.hardware else None
    if cpu is not None and cpu.arch and not turn.spec.architecture:
        turn.architecture = cpu.arch
