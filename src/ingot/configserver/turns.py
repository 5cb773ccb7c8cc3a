"""Whose turn it is to join the control plane: one server at a time.

etcd takes one newcomer at a time anyway, so nothing is gained by three that try. But much is lost:
each starts an API server that cannot serve yet, asks etcd again and again, and keeps the one that
could catch up from the processor. On two cores three joins at once did not end in ten minutes; one
after the other they take three.

A turn ends when its host says that it has joined or failed, or by itself: whoever lost its power
while it had the turn does not keep the others waiting for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["TURN_SECONDS", "Turns"]

TURN_SECONDS: Final = 300.0
"""Several times what a join takes on a slow machine."""


@dataclass(slots=True)
class Turns:
    """Who joins now.

    Attributes:
        holder: whose turn it is; empty when it is nobody's.
        until: when that ends by itself.
    """

    holder: str = ""
    until: float = 0.0

    def asked(self, host: str, *, now: float) -> str:
        """Give a host the turn if it can be had; return who has it."""
        if self.holder in {"", host} or now >= self.until:
            self.holder, self.until = host, now + TURN_SECONDS
        return self.holder

    def ended(self, host: str) -> None:
        """Take the turn from a host, if it has it."""
        if self.holder == host:
            self.holder = ""
