"""etcd's members, as far as the loss of one has to be judged.

How etcd is asked is not known here: whoever runs the controllers hands that in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

__all__ = ["EtcdMembers", "MemberSeen", "counted_out", "member_of", "why_not_without"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSeen:
    """A member.

    Attributes:
        number: its id, as etcd writes it.
        name: that of its node.
        voter: whether it has a vote.
        healthy: whether it answers, and takes part.
    """

    number: str
    name: str
    voter: bool = True
    healthy: bool = True


class EtcdMembers(Protocol):
    """What asks etcd."""

    async def members(self) -> tuple[MemberSeen, ...]:
        """Return all members.

        Raises:
            IngotError: etcd cannot be asked.
        """

    async def remove(self, member: MemberSeen) -> None:
        """Have the others forget a member.

        Raises:
            IngotError: they did not.
        """


def member_of(node: str, members: Sequence[MemberSeen]) -> MemberSeen | None:
    """Return the member that runs on a node."""
    return next((one for one in members if one.name == node), None)


def counted_out(members: Sequence[MemberSeen], lost: Collection[str]) -> list[MemberSeen]:
    """Return the members, of which those on some nodes count as lost though they may answer."""
    return [replace(one, healthy=one.healthy and one.name not in lost) for one in members]


def why_not_without(node: str, members: Sequence[MemberSeen]) -> str:
    """Return why a node's member must not be lost or removed; "" if it may.

    What is left has to be a majority of all that vote now, and each of those counted has to be
    healthy: removing a member is itself something that a majority has to agree on.
    """
    voters = [one for one in members if one.voter]
    needed = len(voters) // 2 + 1
    left = [one.name for one in voters if one.name != node and one.healthy]
    if len(left) >= needed:
        return ""
    return (
        f"of {len(voters)} members of etcd {len(left)} would be left that are healthy"
        f" ({', '.join(sorted(left)) or 'none'}), and {needed} are needed"
    )
