"""Which Machines go when a set shrinks: those that somebody chose, then those of least use.

Among Machines that are of equal use the set's policy decides, and by default the newest goes: what
runs longest has proven itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from ingot.machineapi.api.machineset import DeletePolicy
from ingot.machineapi.machinesets.members import Member

__all__ = ["first_to_go"]


def first_to_go(
    members: Iterable[Member], count: int, policy: DeletePolicy | None
) -> tuple[Member, ...]:
    """Return as many Machines as are to go; one that is going already is none of them."""
    staying = [one for one in members if not one.going]
    by_age = sorted(
        staying,
        key=lambda one: (one.created, one.name),
        reverse=policy is not DeletePolicy.OLDEST,
    )
    return tuple(sorted(by_age, key=_use)[: max(0, count)])


def _use(one: Member) -> tuple[bool, bool, bool, bool, bool]:
    """Return of how much use a Machine is: the first of these that differs decides."""
    return (not one.chosen, not one.failed, one.hosted, one.linked, one.ready)
