"""Register: Ironic knows the server as it should be known, and has reached its BMC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ingot.ironic.node import Node, NodeId
from ingot.ironic.ports import Port
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node.calls import (
    Ask,
    Call,
    ClearMaintenance,
    CreateNode,
    CreatePort,
    DeletePort,
    PatchNode,
    SetMaintenance,
)
from ingot.metal3.node.goal import Register
from ingot.metal3.node.progress import Act, Done, Failed, Progress
from ingot.metal3.node.record import (
    INTERFACES_CHANGEABLE,
    changes_driver,
    creation,
    interface_changes,
    is_changeable,
    record_changes,
)
from ingot.metal3.node.refusing import refused
from ingot.metal3.node.situation import SHORT, cleared, failed, waiting
from ingot.metal3.node.subject import Subject

__all__ = ["register"]

_PORTS_CHANGEABLE: Final = frozenset(
    {ProvisionState.ENROLL, ProvisionState.MANAGEABLE, ProvisionState.AVAILABLE}
)
_REFUSED: Final = ("returned code 401", "returned code 403")
"""What Ironic says when a BMC has answered by Redfish, but not to this user."""
_VERIFYING: Final = "registering: Ironic asks the BMC"


def register(  # noqa: PLR0911 - a table of states
    goal: Register, subject: Subject, node: Node | None, *, ports: Sequence[Port] | None = None
) -> Progress[Call]:
    """Answer with the next step.

    Args:
        goal: what is wanted.
        subject: the host.
        node: its node, if there is one.
        ports: all of the node, and the one with the boot MAC address; None if nobody looked.
    """
    if refusal := refused(subject):
        return refusal
    if rival := _rival(subject, node.uuid if node else subject.node_id, ports or ()):
        return _taken(subject, rival)
    if node is None:
        return _created(subject)
    state = node.status.provision_state
    if state is ProvisionState.VERIFYING:
        return waiting(node, SHORT)
    if not is_changeable(node):
        # New credentials cannot be written now, and so were not tried.
        return waiting(node) if goal.again else Done()
    changes = _changed(goal, subject, node, ports)
    if state is ProvisionState.ENROLL:
        if node.status.last_error and not changes and not goal.again:
            return failed(node, _unreached(node.status.last_error))
        calls = (*changes, Ask(node=node.uuid, verb=Verb.MANAGE))
        return Act(calls=calls, doing=_VERIFYING, seconds=SHORT, begins=True)
    if changes:
        return Act(calls=changes, doing="updating the node", begins=goal.again)
    return cleared(node) or Done()


def _unreached(error: str) -> str:
    """Return what an error of Ironic means; its own words follow, and do not always say."""
    if any(code in error for code in _REFUSED):
        return "the BMC refuses the credentials"
    if "IPMI call failed" in error:
        return "the BMC does not answer by IPMI, or refuses the credentials"
    return "Ironic cannot reach the BMC"


def _created(subject: Subject) -> Act[Call]:
    node = subject.node_id
    ports = (CreatePort(node=node, address=mac, pxe_enabled=pxe) for mac, pxe in _cards(subject))
    return Act(
        calls=(CreateNode(fields=creation(subject)), *ports, Ask(node=node, verb=Verb.MANAGE)),
        doing=_VERIFYING,
        seconds=SHORT,
        begins=True,
    )


def _changed(
    goal: Register, subject: Subject, node: Node, ports: Sequence[Port] | None
) -> tuple[Call, ...]:
    status = node.status
    record = record_changes(subject, node, secrets_changed=goal.again)
    interfaces = interface_changes(subject, node)
    allowed = status.provision_state in INTERFACES_CHANGEABLE or status.maintenance
    cards = tuple(_card_changes(subject, node, ports)) if ports is not None else ()
    if allowed and (record or interfaces):
        return (PatchNode(node=node.uuid, operations=(*record, *interfaces)), *cards)
    if changes_driver(subject, node):
        # Keys of one driver's BMC are nothing for another: both change at once, or neither.
        reason = "the BMC address has another scheme now"
        return (
            SetMaintenance(node=node.uuid, reason=reason),
            PatchNode(node=node.uuid, operations=(*record, *interfaces)),
            ClearMaintenance(node=node.uuid),
            *cards,
        )
    return (*((PatchNode(node=node.uuid, operations=record),) if record else ()), *cards)


def _cards(subject: Subject) -> Iterator[tuple[str, bool]]:
    """Yield the network cards to know, and whether the server boots by each."""
    boot = subject.boot_address
    if boot:
        yield boot, True
    for mac in dict.fromkeys(nic.lower() for nic in subject.nics):
        if mac != boot:
            yield mac, False


def _card_changes(subject: Subject, node: Node, ports: Sequence[Port]) -> Iterator[Call]:
    if node.status.provision_state.is_transient:
        return
    known = {port.address for port in ports}
    wanted = dict(_cards(subject))
    for mac, pxe in wanted.items():
        if mac not in known:
            yield CreatePort(node=node.uuid, address=mac, pxe_enabled=pxe)
    if subject.boot_address and node.status.provision_state in _PORTS_CHANGEABLE:
        for port in ports:
            stale = port.node_uuid == node.uuid and port.address not in wanted
            if stale and port.pxe_enabled:
                yield DeletePort(port=port)


def _rival(subject: Subject, node: NodeId, ports: Sequence[Port]) -> Port | None:
    boot = subject.boot_address
    return next((port for port in ports if port.address == boot and port.node_uuid != node), None)


def _taken(subject: Subject, rival: Port) -> Failed:
    return Failed(
        why=(
            f"spec.bootMACAddress {subject.boot_address} is that of a port of another node,"
            f" {rival.node_uuid}: correct it, or remove the host that has it"
        )
    )
