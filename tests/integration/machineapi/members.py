"""etcd's members, as a test says they are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ingot.machineapi.etcd import MemberSeen

__all__ = ["Members"]


@dataclass
class Members:
    """What asks etcd, and is told by the test."""

    members_: list[MemberSeen] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.members_]

    async def members(self) -> tuple[MemberSeen, ...]:
        seen = tuple(self.members_)
        await asyncio.sleep(0.05)  # others may ask meanwhile, as they may of a real one
        return seen

    async def remove(self, member: MemberSeen) -> None:
        self.members_.remove(member)
