"""A host that waits to be used, and everything that can end its waiting."""

from __future__ import annotations

from dataclasses import replace

from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import counting, inspecting, powering, preparing
from ingot.metal3.host.failing import clear_error, fail, stand
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Outcome, Turn

__all__ = ["available", "is_over_limit", "needs_deprovisioning", "needs_provisioning"]


def needs_provisioning(turn: Turn) -> bool:
    """Return whether something is to be installed that is not."""
    spec, made = turn.spec, turn.status.provisioning
    if not spec.online:
        return False
    image = spec.image is not None and bool(spec.image.url) and made.image is None
    deploy = (
        spec.custom_deploy is not None
        and bool(spec.custom_deploy.method)
        and made.custom_deploy != spec.custom_deploy
    )
    return image or deploy


def needs_deprovisioning(turn: Turn) -> bool:
    """Return whether what is installed is not what is wanted. Only URL and method count."""
    spec, made = turn.spec, turn.status.provisioning
    url = spec.image.url if spec.image is not None else ""
    method = spec.custom_deploy.method if spec.custom_deploy is not None else ""
    if not url and not method:
        return True
    made_method = made.custom_deploy.method if made.custom_deploy is not None else ""
    return (made.image is not None and made.image.url != url) or made_method != method


def available(turn: Turn) -> Outcome:
    """Wait to be used, with the power as wanted."""
    if turn.spec.externally_provisioned:
        return become(
            turn, ProvisioningState.EXTERNALLY_PROVISIONED, "taking over a server that runs already"
        )
    if inspecting.is_asked_again(turn):
        return become(turn, ProvisioningState.INSPECTING, "inspecting the hardware again")
    if turn.seen.firmware.ready and preparing.has_changed(turn):
        return become(turn, ProvisioningState.PREPARING, "preparing the server anew")
    _forgive(turn)
    if needs_provisioning(turn):
        return _start(turn)
    if turn.has_error(ErrorType.PROVISIONING):
        clear_error(turn)
    return powering.keep_power(turn)


def is_over_limit(turn: Turn) -> bool:
    """Return whether what is wanted has failed as often as it may."""
    limit = turn.settings.provisioning_retries
    return bool(limit) and turn.status.provisioning_fail_count >= limit


def _start(turn: Turn) -> Outcome:
    if is_over_limit(turn):
        why = (
            f"provisioning failed {turn.status.provisioning_fail_count} times in a row and is not "
            "tried again; change the image, or remove it and set it again"
        )
        return fail(turn, ErrorType.PROVISIONING, why)
    problem = turn.seen.deploy.problem
    if problem is not None:
        if turn.status.error_message != problem.why:
            turn.count(counting.CONFIG_DATA_ERROR, host_data_type=problem.kind)
        return stand(
            turn, ErrorType.PROVISIONING, problem.why, every=turn.settings.delays.secret_missing
        )
    outcome = become(turn, ProvisioningState.PROVISIONING, "provisioning the server")
    if turn.state is ProvisioningState.PROVISIONING:
        turn.record(image=turn.spec.image, custom_deploy=turn.spec.custom_deploy)
        turn.status = replace(turn.status, last_attempted_image=turn.spec.image)
    return outcome


def _forgive(turn: Turn) -> None:
    """Count failures anew when something else is wanted.

    A custom deploy without an image leaves nothing to compare with. There, any change of input
    counts, which `heed_inputs` shows by an error without failures. Upstream never limits it at all.
    """
    spec, status = turn.spec, turn.status
    wanted = spec.image is not None or spec.custom_deploy is not None
    changed = spec.image != status.last_attempted_image
    touched = (
        spec.image is None and turn.has_error(ErrorType.PROVISIONING) and status.error_count == 0
    )
    if status.provisioning_fail_count and (not wanted or changed or touched):
        turn.status = replace(status, provisioning_fail_count=0, last_attempted_image=None)
