"""How far a server was when, on its way to a node, and how long each step of that took.

The lab's firmware and the agent put the time of day on the server's console; the server and its
Node have theirs in the API. So little depends on how often somebody looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Final, NamedTuple

from ingot.machine.model import BootSource

__all__ = ["STEPS", "Boots", "Moments", "boots_on", "moment", "split"]

STEPS: Final = ("claim", "power-on", "agent", "write", "boot", "join")
"""Each ends where the next begins."""

_START: Final = re.compile(r" boot; it is (\S+)\s*$", re.MULTILINE)
"""The firmware's first line. Another, with other words, tells of the power button."""
_AGENT: Final = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) .*Lookup succeeded, node UUID")
_FROM_DISK: Final = f"{BootSource.DISK}: trying to boot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """When a server was how far, in seconds since 1970.

    Attributes:
        scaled: somebody asked for one worker more.
        claimed: a Machine has the server.
        powered: its firmware starts.
        agent: its agent has found Ironic.
        booted: its firmware starts again, now from the disk that was written.
        reported: it told for the first time that it joins.
        ready: its Node is Ready.
    """

    scaled: float
    claimed: float
    powered: float
    agent: float
    booted: float
    reported: float
    ready: float


class Boots(NamedTuple):
    """What a console tells of a server that is written: see `Moments`."""

    powered: float
    agent: float
    booted: float


def split(moments: Moments) -> dict[str, float]:
    """Return how long each step took, in seconds.

    What the API keeps is cut to whole seconds, and so may lie before what came first: no step takes
    less than nothing, and together they take as long as the whole.
    """
    last, *ends = (getattr(moments, field.name) for field in fields(moments))
    lasted = {}
    for step, end in zip(STEPS, ends, strict=True):
        lasted[step] = max(end - last, 0.0)
        last = max(end, last)
    return lasted


def boots_on(console: str, *, since: float) -> Boots:
    """Return what a console tells of a server that was written after a moment.

    Raises:
        ValueError: a part of it is not there.
    """
    _, *parts = _START.split(console)
    starts = [
        (at, said)
        for text, said in zip(parts[::2], parts[1::2], strict=True)
        if (at := moment(text)) >= since
    ]
    heard = ((number, _AGENT.search(said)) for number, (_, said) in enumerate(starts))
    agent = next(((number, found[1]) for number, found in heard if found), None)
    if agent is None:
        raise ValueError(f"no agent that found Ironic in {len(starts)} starts of the server")
    number, found_at = agent
    booted = next((at for at, said in starts[number + 1 :] if _FROM_DISK in said), None)
    if booted is None:
        raise ValueError("no start from the disk after the agent's")
    return Boots(starts[0][0], moment(found_at), booted)


def moment(text: str) -> float:
    """Return a time as ISO 8601 has it, in seconds since 1970; without a zone, it is UTC."""
    said = datetime.fromisoformat(text)
    return (said if said.tzinfo else said.replace(tzinfo=UTC)).timestamp()
