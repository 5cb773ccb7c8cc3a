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

SKEW: Final = timedelta(hours=12)
"""How far a clock may be behind ours. A server whose clock was set to local time is that far behind
at most; one that is off by a day is to be noticed, not served."""


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
