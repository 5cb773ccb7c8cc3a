"""Who leads, decided from a lease and the clock of our own machine.

The times in a lease come from other machines and are never compared with ours. What counts is how
long, by our own clock, we have seen the same lease: if it has not changed for its whole duration,
its holder has not renewed it, whatever its clock says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

__all__ = ["Lease", "Move", "Terms", "Verdict", "Witness"]


@dataclass(frozen=True, slots=True)
class Terms:
    """How long leading lasts, in seconds. The defaults are upstream's in a cluster.

    Attributes:
        duration: how long the others wait after they last saw the lease change.
        renew_deadline: how long a leader goes on without having renewed. The difference to the
            duration is what it has to stop acting.
        retry_period: how often the lease is renewed, or asked for.
    """

    duration: float = 137.0
    renew_deadline: float = 107.0
    retry_period: float = 26.0

    def __post_init__(self) -> None:
        if not self.duration > self.renew_deadline > self.retry_period > 0:
            raise ValueError(
                "a lease needs duration > renew deadline > retry period > 0, and not"
                f" {self.duration:g}, {self.renew_deadline:g}, {self.retry_period:g}"
            )


@dataclass(frozen=True, slots=True)
class Lease:
    """What is written down.

    Attributes:
        holder: who leads; empty once released.
        renewed: the holder's own time of renewal: only ever compared for being the same.
        duration: what the holder promised.
        transitions: how often it changed hands.
    """

    holder: str
    renewed: str
    duration: float
    transitions: int = 0


class Verdict(Enum):
    """What to do now."""

    CREATE = auto()
    TAKE = auto()
    RENEW = auto()
    WAIT = auto()


@dataclass(frozen=True, slots=True)
class Move:
    """A verdict; a wait has the time until which the holder must be believed."""

    verdict: Verdict
    until: float = 0.0


@dataclass(slots=True)
class Witness:
    """One candidate, and since when it has seen the present lease."""

    me: str
    _seen: Lease | None = None
    _since: float = field(default=0.0)

    def decide(self, lease: Lease | None, *, now: float) -> Move:
        """Decide by the lease as it is and the time of our own clock."""
        if lease is None:
            return Move(Verdict.CREATE)
        if lease != self._seen:
            self._seen, self._since = lease, now
        if lease.holder == self.me:
            return Move(Verdict.RENEW)
        expires = self._since + lease.duration
        if not lease.holder or now >= expires:
            return Move(Verdict.TAKE)
        return Move(Verdict.WAIT, until=expires)
