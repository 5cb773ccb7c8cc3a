"""Power as wanted while nothing else is under way."""

from __future__ import annotations

import hashlib

from ingot.metal3.api import annotation
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.states import ErrorType
from ingot.metal3.host import counting, rebooting, servicing
from ingot.metal3.host.decision import DataImageStep
from ingot.metal3.host.failing import succeed
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.rebooting import Reboot
from ingot.metal3.host.turn import Beginning, Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import PowerOff, PowerOn
from ingot.metal3.node.progress import Waiting

__all__ = ["keep_power", "keep_power_in_use"]


def keep_power(turn: Turn) -> Outcome:
    """Keep the power of a host that is not in use; reboots are not for those."""
    return _keep(turn, Reboot(), in_use=False)


def keep_power_in_use(turn: Turn) -> Outcome:
    """Keep the power of a host in use: reboot it when asked, service it while it is off."""
    reboot = rebooting.asked(turn)
    if not reboot.holders:
        turn.forget(Memory.REBOOTED_INSTEAD)
    if servicing.is_under_way(turn):
        outcome = servicing.service(turn)
        if outcome is not None:
            return outcome
    return _keep(turn, reboot, in_use=True)


def _keep(turn: Turn, reboot: Reboot, *, in_use: bool) -> Outcome:
    on = turn.seen.node.powered_on if turn.seen.node else None
    if on is None:
        return Outcome("waiting until its power state is known", turn.settings.delays.long)
    if turn.spec.online and not reboot:
        return _reached(turn, "running" if in_use else "ready for use") if on else _on(turn, in_use)
    if turn.spec.disable_power_off:
        return _reboot_instead(turn, reboot, on=on, in_use=in_use)
    if on:
        return _off(turn, reboot)
    if reboot.once:
        turn.remove_annotation(annotation.REBOOT)
        return Outcome("off, as a reboot begins", 0.0)
    who = ", ".join(reboot.holders)
    return _reached(turn, f"held off by {who}" if who and turn.spec.online else "off")


def _reached(turn: Turn, doing: str) -> Outcome:
    succeed(turn)
    return Outcome(doing, turn.settings.delays.steady)


def _off(turn: Turn, reboot: Reboot) -> Outcome:
    goal = PowerOff(
        hard=reboot.hard or turn.status.error_count > 0,
        force=turn.has_error(ErrorType.POWER_MANAGEMENT),
    )
    done = work(turn, goal, failing=ErrorType.POWER_MANAGEMENT, boots=False)
    if turn.pursued is not None:
        how = "off" if goal.hard else "off gently"
        turn.tell(EventReason.POWER_OFF, f"turning the server {how}")
        turn.count(counting.POWER_CHANGE, **turn.where, on_off="off")
    return done.outcome or Outcome("turning off", turn.settings.delays.short)


def _on(turn: Turn, in_use: bool) -> Outcome:  # noqa: FBT001 - its name says what it means
    if in_use:
        first = _data_image(turn) or (servicing.service(turn) if servicing.is_due(turn) else None)
        if first is not None:
            return first
    goal = PowerOn(force=turn.has_error(ErrorType.POWER_MANAGEMENT))
    done = work(turn, goal, failing=ErrorType.POWER_MANAGEMENT, boots=False)
    if turn.pursued is not None:
        turn.tell(EventReason.POWER_ON, "turning the server on")
        turn.count(counting.POWER_CHANGE, **turn.where, on_off="on")
    return done.outcome or Outcome("turning on", turn.settings.delays.short)


def _data_image(turn: Turn) -> Outcome | None:
    """Have the virtual drive changed before the server starts; some failures do not keep it off."""
    image = turn.seen.data_image
    if image.wanted == image.attached or image.failures >= turn.settings.data_image_tries:
        return None
    turn.data_image = DataImageStep.ATTACH if image.wanted else DataImageStep.DETACH
    return Outcome("changing its DataImage before it is turned on", turn.settings.delays.long)


def _reboot_instead(turn: Turn, reboot: Reboot, *, on: bool, in_use: bool) -> Outcome:
    """Reboot a server that must not be turned off, once for each that asks."""
    if not on:
        return _on(turn, in_use)
    keys = hashlib.sha256("/".join(reboot.holders).encode()).hexdigest()[:8]
    known = turn.recall(Memory.REBOOTED_INSTEAD)
    held = bool(reboot.holders) and (known is None or known.notes.get("keys") != keys)
    if not reboot.once and not held:
        return _reached(turn, "kept on, as disablePowerOff says")
    goal = PowerOff(hard=reboot.hard, force=turn.has_error(ErrorType.POWER_MANAGEMENT))
    if isinstance(turn.ask(goal), Beginning | Waiting):
        # A reboot that is under way is the one that was asked for, also after a restart of ours.
        turn.remove_annotation(annotation.REBOOT)
        if reboot.holders:
            turn.remember(
                Memory.REBOOTED_INSTEAD,
                "it cannot be held off, as disablePowerOff says, and was rebooted once instead",
                notes={"keys": keys},
            )
    done = work(turn, goal, failing=ErrorType.POWER_MANAGEMENT, boots=False)
    if turn.pursued is not None:
        turn.tell(EventReason.POWER_OFF, "rebooting the server, which must not be turned off")
        turn.count(counting.POWER_CHANGE, **turn.where, on_off="off")
    return done.outcome or _reached(turn, "kept on, as disablePowerOff says")
