"""An image is written to the disk, and the server boots from it."""

from __future__ import annotations

from dataclasses import replace

from ingot.metal3.api import annotation
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.image import DiskFormat
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import counting, rebooting, rootdisk
from ingot.metal3.host.available import needs_deprovisioning
from ingot.metal3.host.failing import fail
from ingot.metal3.host.observation import IMAGE_AUTH
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Beginning, Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Provision

__all__ = ["provisioning"]


def provisioning(turn: Turn) -> Outcome:
    """Provision; after a failure, or when something else is wanted, take it back first."""
    if turn.status.error_type is not None:
        why = turn.status.error_message
        tries = turn.status.provisioning_fail_count + 1
        outcome = become(
            turn, ProvisioningState.DEPROVISIONING, f"removing what failed: {why}", failed=True
        )
        if turn.state is ProvisioningState.DEPROVISIONING:
            turn.status = replace(turn.status, provisioning_fail_count=tries)
        return outcome
    if needs_deprovisioning(turn):
        return become(
            turn, ProvisioningState.DEPROVISIONING, "something else is wanted", failed=True
        )
    goal = _goal(turn, forced=rebooting.forced(turn))
    problem = turn.seen.deploy.problem
    if problem is not None and isinstance(turn.ask(goal), Beginning):
        turn.count(counting.CONFIG_DATA_ERROR, host_data_type=problem.kind)
        if problem.kind == IMAGE_AUTH:
            turn.warn(EventReason.IMAGE_AUTH_PARSE_ERROR, problem.why)
        return fail(turn, ErrorType.PROVISIONING, problem.why)
    done = work(turn, goal, failing=ErrorType.PROVISIONING, restart=_goal(turn, forced=True))
    if done.begins:
        turn.tell(EventReason.PROVISIONING_STARTED, f"provisioning {_what(turn)}")
    if goal.forced_reboot and turn.pursued is not None:
        turn.remove_annotation(annotation.REBOOT)
    if done.outcome is not None:
        return done.outcome
    turn.record(image=turn.spec.image, custom_deploy=turn.spec.custom_deploy)
    if turn.status.provisioning_fail_count:
        turn.status = replace(turn.status, provisioning_fail_count=0)
    turn.tell(EventReason.PROVISIONING_COMPLETE, f"provisioned {_what(turn)}")
    return become(turn, ProvisioningState.PROVISIONED, "provisioned")


def _goal(turn: Turn, *, forced: bool) -> Provision:
    image, deploy = turn.spec.image, turn.seen.deploy
    live = image is not None and image.format is DiskFormat.LIVE_ISO
    return Provision(
        instance_uuid=turn.meta.uid,
        image=image,
        custom_deploy=turn.spec.custom_deploy,
        config_drive=None if live else deploy.config_drive,
        root_hints=rootdisk.choose(turn),
        pull_secret=deploy.pull_secret,
        forced_reboot=forced,
    )


def _what(turn: Turn) -> str:
    if turn.spec.image is not None:
        return turn.spec.image.url
    return f"by {turn.spec.custom_deploy.method}" if turn.spec.custom_deploy else "nothing"
