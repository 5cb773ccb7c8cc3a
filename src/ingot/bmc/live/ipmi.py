"""A BMC that speaks IPMI, through pyghmi, each call in a process of its own.

pyghmi keeps its sessions, its sockets and a thread for them in globals, which are served by whoever
happens to wait: of several threads, one may wait for another's BMC. A process ends when it is told
to, and leaves nothing behind. What is secret goes to it by its standard input.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Final

from ingot.bmc.live.access import BmcAccess, Power
from ingot.bmc.live.refusal import BmcError, BmcRefused, BmcUnreachable, WrongCredentials

__all__ = ["IpmiBmc"]

AT_ONCE: Final = threading.BoundedSemaphore(16)
"""Processes; they are small, but a rack is large."""

LEVELS: Final = {"CALLBACK": 1, "USER": 2, "OPERATOR": 3, "ADMINISTRATOR": 4}
"""As IPMI 2.0 numbers them (§13.27)."""

REFUSED: Final = ("password", "unauthorized", "privilege", "username", "integrity check")
SILENT: Final = ("timeout", "connected", "initialize", "resolve", "insufficient resources")
"""What pyghmi says: it has texts, and no codes for them."""


class IpmiBmc:
    """One server through its BMC."""

    def __init__(self, access: BmcAccess, *, seconds: float) -> None:
        self._access = access
        self._seconds = seconds

    def power(self) -> Power:
        """Return whether the server is powered."""
        return Power(self._ask("power"))

    def power_off(self) -> bool:
        """Pull the plug, and return whether it was on. It is off when this returns."""
        return self._ask("off") == Power.ON

    def eject_media(self) -> tuple[str, ...]:
        """Return none: IPMI has no virtual media."""
        return ()

    def _ask(self, what: str) -> str:
        """Return how the power was when it was asked."""
        address = self._access.address
        asked = {
            "what": what,
            "host": address.host,
            "port": address.port,
            "username": self._access.username,
            "password": self._access.password,
            "level": LEVELS[address.privilege_level or "ADMINISTRATOR"],
            "seconds": self._seconds,
        }
        try:
            with AT_ONCE:
                done = subprocess.run(
                    # -P: what lies in the user's folder is not to be taken for a library.
                    [sys.executable, "-P", "-m", "ingot.bmc.live.ipmicall"],
                    input=json.dumps(asked),
                    capture_output=True,
                    check=False,
                    text=True,
                    timeout=self._seconds,
                )
        except subprocess.TimeoutExpired:
            seen = f"did not do it within {self._seconds:.0f} seconds"
            raise BmcUnreachable(address, seen) from None
        return self._judged(done)

    def _judged(self, done: subprocess.CompletedProcess[str]) -> str:
        try:
            told = json.loads(done.stdout)
            if "power" in told:
                return str(told["power"])
            raise _named(self._access, str(told["refused"]))
        except (ValueError, KeyError):
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            seen = f"could not be asked: {last}"
            raise BmcRefused(self._access.address, seen) from None


def _named(access: BmcAccess, refused: str) -> BmcError:
    """Return which error a word of pyghmi is."""
    said = refused.lower()
    if any(word in said for word in REFUSED):
        return WrongCredentials(access.address)
    if any(word in said for word in SILENT):
        return BmcUnreachable(access.address, "does not answer")
    return BmcRefused(access.address, f"refuses: {refused}")
