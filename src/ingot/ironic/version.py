"""Which version of Ironic's API is spoken, and what it can do.

Ironic versions single features, and answers in the form of the version that a request names. Ours
is the highest of a short list of versions, each of which brings something that is used here; never
simply the newest, whose answers nobody has tested.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["ABORT_DEPLOY", "BASELINE", "DISABLE_POWER_OFF", "HEALTH", "READ_MEDIA", "Microversion"]


class Microversion(NamedTuple):
    """A version of the API. Later ones have all features of earlier ones."""

    major: int
    minor: int

    @classmethod
    def read(cls, text: str) -> Microversion:
        """Return the version that is written so.

        Raises:
            ValueError: it is none.
        """
        major, _, minor = text.partition(".")
        return cls(int(major), int(minor))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @classmethod
    def best(cls, *, lowest: Microversion, highest: Microversion) -> Microversion | None:
        """Return the best version of ours within what a server offers, or None."""
        return max(_within(_KNOWN, lowest, highest), default=None)


def _within(
    versions: Iterable[Microversion], lowest: Microversion, highest: Microversion
) -> list[Microversion]:
    return [version for version in versions if lowest <= version <= highest]


BASELINE = Microversion(1, 89)
"""Virtual media can be attached and detached."""
READ_MEDIA = Microversion(1, 93)
"""One can ask what virtual media is attached."""
DISABLE_POWER_OFF = Microversion(1, 95)
"""A node can be marked as never to be powered off."""
HEALTH = Microversion(1, 109)
"""A node has its BMC's own verdict on its health."""
ABORT_DEPLOY = Microversion(1, 110)
"""A deployment that waits for its agent can be aborted."""

_KNOWN = (BASELINE, READ_MEDIA, DISABLE_POWER_OFF, HEALTH, ABORT_DEPLOY)
