"""Whether keepalived is frozen: told by its pulse, which everything that stops it stops as well.

Who holds a VIP sends ten adverts a second, and goes to sleep after each. Where it has not slept
once in the time after which others take the VIP over, they have: to take it away here costs nothing
and mends a VIP with two holders. Counting adverts on the wire was rejected, since none leave where
no peer answers ARP; asking keepalived for its state writes a file each time.

What is waited for has to be seen to pass: where this process did not look for a while, be it that
the whole node was frozen, nothing follows for keepalived.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.onprem.keepalived import DOWN_SECONDS

__all__ = ["LOOK_SECONDS", "Pulse"]

LOOK_SECONDS = 0.1
BLIND_SECONDS = 0.3
"""After so long without a look, the observation begins anew."""

STOPPED = frozenset("Tt")
"""proc(5): stopped by a signal, or by a debugger."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """What was seen of keepalived.

    Attributes:
        beats: how often it had gone to sleep at the last look.
        looked: when that was.
        alive: when it was last seen to live.
    """

    beats: int = -1
    looked: float = 0.0
    alive: float = 0.0

    def after(self, state: str, beats: int, *, holds: bool, now: float) -> Pulse:
        """Return what is known after one more look.

        Args:
            state: of the process, as in proc(5).
            beats: how often it has gone to sleep.
            holds: whether it holds a VIP; if not, it may have nothing to do.
            now: in seconds of the monotonic clock.
        """
        idle = not holds and state not in STOPPED
        lives = beats != self.beats or idle or now - self.looked > BLIND_SECONDS
        return Pulse(beats, now, now if lives else self.alive)

    @property
    def is_frozen(self) -> bool:
        """Whether it has been still for as long as others wait."""
        return self.looked - self.alive >= DOWN_SECONDS
