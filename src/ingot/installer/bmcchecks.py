"""Logging in at every BMC before anything is made, all at once; nothing is switched.

A wrong password would otherwise be met an image and a virtual machine later, and one server at a
time. Whoever refuses is told of at once; whoever is silent is asked again for a while, since a BMC
that was reset a moment ago needs two minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Final

from ingot.bmc.live.access import CALL_SECONDS, connected
from ingot.bmc.live.deadline import begun
from ingot.bmc.live.refusal import BmcError, BmcUnreachable, WrongCredentials
from ingot.config.model import InstallConfig
from ingot.errors import ExitCode, IngotError
from ingot.installer.serverpower import Server, servers_of

__all__ = ["PATIENCE", "BmcsUnusable", "check_bmcs", "check_servers"]

PATIENCE: Final = 150.0
"""Seconds. A BMC answers 503 for about two minutes after a reset of its own."""

PAUSE_SECONDS: Final = 3.0
TELL_SECONDS: Final = 1.0

REFUSALS: Final = 2
"""Some BMCs refuse the right password now and then; few lock a user out for a second wrong one."""

Say = Callable[[str], None]


class BmcsUnusable(IngotError):  # noqa: N818 - it says what was seen
    """Some servers cannot be spoken to, each for a reason of its own.

    Attributes:
        why: by the servers' names.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, why: Mapping[str, IngotError]) -> None:
        named = "; ".join(f"host {name}: {error.what}" for name, error in sorted(why.items()))
        remedies = dict.fromkeys(error.remedy for _, error in sorted(why.items()) if error.remedy)
        super().__init__(named, remedy="; ".join(remedies))
        self.why = dict(why)


@dataclass(slots=True)
class _Round:
    """What those who ask have in common.

    Attributes:
        until: when nobody is asked again.
        hopeless: somebody has failed for good, so that waiting for the others helps nobody.
        silent: who does not answer yet, and what was seen.
        overcome: what was seen of those who answered after all.
    """

    until: float
    hopeless: Event = field(default_factory=Event)
    silent: dict[str, str] = field(default_factory=dict)
    overcome: dict[str, str] = field(default_factory=dict)


def check_bmcs(config: InstallConfig, say: Say, *, patience: float = PATIENCE) -> tuple[str, ...]:
    """Log in at the BMCs of all servers of a cluster.

    Args:
        config: the cluster.
        say: told what is waited for.
        patience: how long a BMC that does not answer is asked again, in seconds.

    Returns:
        What was wrong with those that answered after all.

    Raises:
        BmcsUnusable: naming every server whose BMC refuses, or does not answer.
    """
    platform = config.baremetal
    servers, unknown = servers_of(platform.hosts, platform.bmc_verify_ca)
    if unknown:
        raise BmcsUnusable(
            {
                name: IngotError(why, remedy="give bmc.address, bmc.username and bmc.password")
                for name, why in unknown.items()
            }
        )
    return check_servers(servers, say, patience=patience)


def check_servers(
    servers: Sequence[Server], say: Say, *, patience: float = PATIENCE
) -> tuple[str, ...]:
    """Log in at the BMCs of some servers.

    Returns:
        As above.

    Raises:
        BmcsUnusable: as above.
    """
    say(f"logging in at the BMCs of all servers: {len(servers)}")
    shared = _Round(time.monotonic() + patience)
    asked = {begun(partial(_asked, server, shared)): server.name for server in servers}
    left: set[Future[IngotError | None]] = set(asked)
    failed: dict[str, IngotError] = {}
    while left:
        done, left = wait(left, timeout=TELL_SECONDS, return_when=FIRST_COMPLETED)
        failed |= {asked[one]: error for one in done if (error := one.result()) is not None}
        if shared.silent and left:
            say(_waiting(dict(shared.silent)))
    if failed:
        raise BmcsUnusable(failed)
    return tuple(f"host {name}: {seen}" for name, seen in sorted(shared.overcome.items()))


def _waiting(silent: Mapping[str, str]) -> str:
    return "asking again: " + "; ".join(f"{name}: {seen}" for name, seen in sorted(silent.items()))


def _asked(server: Server, shared: _Round) -> IngotError | None:
    """Return why a server's BMC cannot be used; None when we were let in."""
    refusals, began = 0, time.monotonic()
    while True:
        left = shared.until - time.monotonic()
        try:
            with connected(server.access, seconds=max(1.0, min(CALL_SECONDS, left))) as bmc:
                bmc.power()
        except WrongCredentials as refused:
            refusals += 1
            failure: BmcError = refused
            lasting = refusals >= REFUSALS
        except BmcUnreachable as silent:
            failure, lasting = silent, False
            shared.silent[server.name] = silent.what
        except BmcError as refused:
            failure, lasting = refused, True
        else:
            if seen := shared.silent.pop(server.name, ""):
                took = time.monotonic() - began
                shared.overcome[server.name] = f"{seen}; it answered {took:.0f} s later"
            return None
        if lasting:
            shared.hopeless.set()
            return failure
        late = time.monotonic() + PAUSE_SECONDS > shared.until
        if late or (shared.hopeless.wait(PAUSE_SECONDS) and not refusals):
            return failure
