"""The one question: what brings a server nearer to what is wanted of it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from ingot.ironic.node import Node
from ingot.ironic.ports import Port
from ingot.ironic.states import ProvisionState
from ingot.metal3.node.adopting import adopt
from ingot.metal3.node.calls import Call
from ingot.metal3.node.deprovisioning import deprovision
from ingot.metal3.node.goal import (
    Adopt,
    Delete,
    Deprovision,
    Detach,
    Goal,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Register,
    Service,
)
from ingot.metal3.node.inspecting import inspect
from ingot.metal3.node.powering import power_off, power_on
from ingot.metal3.node.preparing import prepare
from ingot.metal3.node.progress import Act, Progress
from ingot.metal3.node.provisioning import provision
from ingot.metal3.node.registering import register
from ingot.metal3.node.removing import remove
from ingot.metal3.node.servicing import service
from ingot.metal3.node.subject import Subject

__all__ = ["advance"]

_UNREACHED: Final = frozenset({ProvisionState.ENROLL, ProvisionState.VERIFYING})


def advance(  # noqa: C901, PLR0911 - one line for each goal
    goal: Goal, subject: Subject, node: Node | None, *, ports: Sequence[Port] | None = None
) -> Progress[Call]:
    """Return how far a server is from a goal, and what brings it nearer.

    Every goal but removal presupposes registration. Where the node is missing, or its BMC was
    never reached, the answer is therefore that of Register: so a host comes back by itself when
    Ironic has lost its database.

    Args:
        goal: what is wanted.
        subject: the host.
        node: its node as it was seen; None when Ironic has none.
        ports: for registration: those of the node, and the one with the boot MAC address. None when
            nobody looked, and then none is made or removed.
    """
    if isinstance(goal, Delete | Detach):
        return remove(goal, subject, node)
    if isinstance(goal, Register):
        return register(goal, subject, node, ports=ports)
    if node is None or node.status.provision_state in _UNREACHED:
        before = register(Register(), subject, node, ports=ports)
        # It begins a registration, and not what the goal names.
        return replace(before, begins=False) if isinstance(before, Act) else before
    match goal:
        case Inspect():
            return inspect(goal, subject, node)
        case Prepare():
            return prepare(goal, subject, node)
        case Provision():
            return provision(goal, subject, node)
        case Adopt():
            return adopt(goal, subject, node)
        case Deprovision():
            return deprovision(goal, subject, node)
        case PowerOn():
            return power_on(goal, subject, node)
        case PowerOff():
            return power_off(goal, subject, node)
        case Service():
            return service(goal, subject, node)
        case _:
            assert_never(goal)
