"""What may be said to a request for a certificate.

A request is denied only for what is wrong in itself and can never become right, or for what a Node
that is ready has now. All else waits: what it is held against may still come, and a person may
approve it at any time. What was seen once, and may have changed since, denies nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Approve", "Deny", "Verdict", "Wait"]


@dataclass(frozen=True, slots=True)
class Approve:
    """It may be signed; `why` says by what it was known."""

    why: str


@dataclass(frozen=True, slots=True)
class Deny:
    """It must not be signed, whatever happens."""

    why: str


@dataclass(frozen=True, slots=True)
class Wait:
    """It cannot be approved as things are."""

    why: str


Verdict: TypeAlias = Approve | Deny | Wait
