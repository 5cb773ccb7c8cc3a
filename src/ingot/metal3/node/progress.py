"""How far a server is from a goal, and what brings it nearer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Act", "Done", "Failed", "Progress", "Waiting"]

CallT = TypeVar("CallT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The goal is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Something is under way that only time brings nearer.

    Attributes:
        doing: what, in a few words for a person.
        seconds: when to look again at the latest.
    """

    doing: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Ironic gave up, or it cannot be done.

    Attributes:
        why: what a person should know, without secrets.
        retryable: a new try may succeed without a change of input.
    """

    why: str
    retryable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Act(Generic[CallT]):
    """Calls are to be made, in this order, and then the node looked at again.

    Attributes:
        calls: what to call; never empty.
        doing: what they begin, in a few words for a person.
        seconds: when to look again.
        begins: this starts the work that the goal names, and is worth recording before it is done.
            It uses up what the goal wants only once: ask again with `started` set, where the goal
            has that, and without `again`, `refresh`, `force` and `forced_reboot`.
    """

    calls: tuple[CallT, ...]
    doing: str
    seconds: float = 0.0
    begins: bool = field(default=False)


Progress = Done | Waiting | Failed | Act[CallT]
