"""A host in use: kept known to Ironic without being touched, with its power as wanted."""

from __future__ import annotations

from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import powering
from ingot.metal3.host.available import needs_deprovisioning
from ingot.metal3.host.failing import succeed
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Adopt

__all__ = ["externally_provisioned", "provisioned"]


def provisioned(turn: Turn) -> Outcome:
    """Keep a host that we have installed."""
    if needs_deprovisioning(turn):
        return become(turn, ProvisioningState.DEPROVISIONING, "something else is wanted")
    return _not_adopted(turn) or powering.keep_power_in_use(turn)


def externally_provisioned(turn: Turn) -> Outcome:
    """Keep a host that somebody else has installed."""
    if not turn.spec.externally_provisioned:
        # What is on it counts as what is wanted, so that it is not wiped for being the same.
        turn.record(image=turn.spec.image, custom_deploy=turn.spec.custom_deploy)
        return become(turn, ProvisioningState.PROVISIONED, "from now on it counts as provisioned")
    return _not_adopted(turn) or powering.keep_power_in_use(turn)


def _not_adopted(turn: Turn) -> Outcome | None:
    """Return what is done so that Ironic takes the host for deployed; None if it does.

    Also after Ironic has lost its database: this is how a running server comes back, and one that
    is being serviced too.
    """
    made = turn.status.provisioning
    goal = Adopt(
        instance_uuid=turn.meta.uid,
        image=made.image,
        custom_deploy=made.custom_deploy,
        again=turn.has_error(ErrorType.PROVISIONED_REGISTRATION),
    )
    done = work(turn, goal, failing=ErrorType.PROVISIONED_REGISTRATION, boots=False)
    if done.outcome is None and turn.has_error(ErrorType.PROVISIONED_REGISTRATION):
        succeed(turn)
    return done.outcome
