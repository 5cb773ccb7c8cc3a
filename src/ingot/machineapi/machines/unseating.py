"""How a control-plane Machine that goes leaves etcd, before anything is done to its server.

A member whose server is gone keeps its vote: with one more that fails, the cluster is lost. So the
others forget it first, and not before they are a majority without it. That has no limit, and needs
none: once there are enough members again, or somebody has removed this one, the Machine goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

from ingot.errors import IngotError
from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.etcd import (
    EtcdMembers,
    MemberSeen,
    counted_out,
    member_of,
    why_not_without,
)
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.observing import Observation

__all__ = ["Unseating", "risk_of_removing"]


class Unseating:
    """Takes members out of etcd.

    Args:
        etcd: what asks etcd; None where it cannot be asked, and then no member goes.
        turn: who has it may take a member away: the next is judged by what that has left.
    """

    def __init__(self, etcd: EtcdMembers | None, turn: asyncio.Lock) -> None:
        self._etcd = etcd
        self._turn = turn

    async def leave(self, node: str, *, rebooting: Callable[[], Collection[str]]) -> Observation:
        """Have etcd forget the member of a node if it may, and return what is to be said of it.

        Args:
            node: its name.
            rebooting: tells which nodes are being turned off: they count as lost. It is asked when
                the turn has come, since whoever had it before may have turned one off.
        """
        if self._etcd is None:
            return _waits(Reason.ETCD_UNKNOWN, "etcd cannot be asked from here")
        async with self._turn:
            try:
                members = await self._etcd.members()
                member = member_of(node, members)
                if member is None:
                    return _left(Reason.NO_ETCD_MEMBER, f"etcd has no member {node}")
                if risk := risk_of_removing(member, members, rebooting=rebooting()):
                    return _waits(Reason.ETCD_QUORUM, risk)
                await self._etcd.remove(member)
            except IngotError as error:
                return _waits(Reason.ETCD_UNKNOWN, f"etcd cannot be asked: {error.what}")
        return _left(Reason.ETCD_MEMBER_REMOVED, f"etcd has forgotten its member {node}")


def risk_of_removing(
    member: MemberSeen, members: Sequence[MemberSeen], *, rebooting: Collection[str]
) -> str:
    """Return why a member has to stay; "" if it may be removed."""
    risk = why_not_without(member.name, counted_out(members, rebooting))
    return f"{risk}: heal or add others first" if risk else ""


def _waits(reason: Reason, why: str) -> Observation:
    return Observation(
        MachineCondition.ETCD_MEMBER_REMOVED,
        holds=False,
        reason=reason.value,
        message=f"its server stays as it is: {why}",
        severity=ConditionSeverity.WARNING,
    )


def _left(reason: Reason, message: str) -> Observation:
    return Observation(
        MachineCondition.ETCD_MEMBER_REMOVED, holds=True, reason=reason.value, message=message
    )
