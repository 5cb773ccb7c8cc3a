"""From when to when a certificate holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

__all__ = ["AUTHORITY_LIFETIME", "LEAF_LIFETIME", "SKEW", "Term"]

AUTHORITY_LIFETIME: Final = timedelta(days=3653)
"""Ten years: an authority is replaced with the cluster, not within its life."""

LEAF_LIFETIME: Final = timedelta(days=365)
"""What is signed lasts a year, as what kubeadm signs does."""

SKEW: Final = timedelta(hours=48)
"""How far a clock may be behind ours. A server whose clock was set to local time is half a day
behind, and one with the wrong date often a day: it is to reach us, to be told so and to be named,
which it could not if our certificates did not hold for it."""


@dataclass(frozen=True, slots=True)
class Term:
    """From when to when."""

    begins: datetime
    ends: datetime

    @classmethod
    def since(cls, now: datetime, lifetime: timedelta, *, skew: timedelta = SKEW) -> Self:
        """Return the term of what is made now, valid also to those whose clock is behind."""
        return cls(now - skew, now + lifetime)

    def within(self, other: Term) -> Term:
        """Return it cut at the end of another: nothing outlives who vouches for it."""
        return Term(self.begins, min(self.ends, other.ends))
