"""A lab in one line, without asking anyone."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ingot.errors import IngotError
from ingot.lab.labs import Lab

__all__ = ["Summary", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What is known of a lab from its folder.

    Attributes:
        running: whether its daemon is there.
        problem: why nothing more is known.
    """

    name: str
    running: bool
    hosts: int = 0
    api_vip: str = ""
    directory: str = ""
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the form for machines."""
        return asdict(self)


def summary(lab: Lab) -> Summary:
    """Return a lab in one line."""
    running = lab.daemon.pid() is not None
    try:
        plan = lab.plan()
    except IngotError as bad:
        return Summary(name=lab.name, running=running, problem=bad.what)
    return Summary(
        name=lab.name,
        running=running,
        hosts=len(plan.hosts),
        api_vip=str(plan.networks.api_vip),
        directory=str(plan.directory),
    )
