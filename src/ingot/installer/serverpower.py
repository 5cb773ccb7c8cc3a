"""Switching servers off through their BMCs, all at once, and knowing that they stay off.

A cluster that stands on its own switches its servers on again, as it should: its operator runs on
one of them. So when all are off, all are looked at once more; by then nobody is left to do so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import partial
from typing import Final

from ingot.bmc.live.access import CALL_SECONDS, BmcAccess, connected
from ingot.bmc.live.deadline import begun
from ingot.bmc.live.refusal import BmcUnreachable
from ingot.config.model import Host
from ingot.errors import IngotError

__all__ = ["PATIENCE", "Server", "SwitchedOff", "servers_of", "switch_all_off"]

PATIENCE: Final = 60.0
"""How long a BMC is asked again that does not answer."""

PAUSE_SECONDS: Final = 2.0
ROUNDS: Final = 3
"""Two are enough unless the operator is at work in the very moment between them."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server and the way to its BMC."""

    name: str
    access: BmcAccess


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """What came of switching a server off.

    Attributes:
        was_on: whether it was on.
        ejected: the virtual media that was taken out.
        failed: why it could not be done; empty where it was.
    """

    was_on: bool = False
    ejected: tuple[str, ...] = ()
    failed: str = ""

    def then(self, later: SwitchedOff) -> SwitchedOff:
        """Return what came of both."""
        return SwitchedOff(
            self.was_on or later.was_on, (*self.ejected, *later.ejected), later.failed
        )


def servers_of(hosts: Iterable[Host], authorities: str) -> tuple[list[Server], dict[str, str]]:
    """Return the servers, and why others cannot be asked: a secret that is not there now.

    Args:
        hosts: which.
        authorities: in PEM, of those that may have signed the BMCs' certificates.
    """
    servers: list[Server] = []
    failed: dict[str, str] = {}
    for host in hosts:
        try:
            access = _access(host, authorities)
        except IngotError as missing:
            failed[host.name] = missing.what
        else:
            if access is None:
                failed[host.name] = "it has no BMC"
            else:
                servers.append(Server(host.name, access))
    return servers, failed


def switch_all_off(
    servers: Sequence[Server],
    *,
    patience: float = PATIENCE,
    on_off: Callable[[str, SwitchedOff], None] = lambda _name, _outcome: None,
) -> Mapping[str, SwitchedOff]:
    """Switch servers off and take their media out, all at once.

    Args:
        servers: which.
        patience: how long a BMC may take.
        on_off: told each server as soon as it is done, or has failed.
    """
    outcomes = {server.name: SwitchedOff() for server in servers}
    left: Sequence[Server] = servers
    for number in range(ROUNDS):
        pending = {begun(partial(_off, server, patience)): server for server in left}
        found: dict[Server, SwitchedOff] = {}
        for future in as_completed(pending):
            server, outcome = pending[future], future.result()
            found[server] = outcome
            outcomes[server.name] = outcomes[server.name].then(outcome)
            if number == 0 or outcome.was_on or outcome.failed:
                on_off(server.name, outcome)
        left = [server for server, outcome in found.items() if not outcome.failed]
        if not any(outcome.was_on for outcome in found.values()):
            break
    return outcomes


def _off(server: Server, patience: float) -> SwitchedOff:
    until = time.monotonic() + patience
    while True:
        try:
            return _off_once(server, patience)
        except BmcUnreachable as silent:
            if time.monotonic() + PAUSE_SECONDS > until:
                return SwitchedOff(failed=silent.what)
            time.sleep(PAUSE_SECONDS)
        except IngotError as refused:
            return SwitchedOff(failed=refused.what)


def _off_once(server: Server, patience: float) -> SwitchedOff:
    with connected(server.access, seconds=min(patience, CALL_SECONDS)) as bmc:
        was_on = bmc.power_off()
        return SwitchedOff(was_on, bmc.eject_media())


def _access(host: Host, authorities: str) -> BmcAccess | None:
    bmc = host.bmc
    if bmc.address is None:
        return None
    return BmcAccess(
        address=bmc.address,
        username=bmc.username.reveal() if bmc.username else "",
        password=bmc.password.reveal() if bmc.password else "",
        verify=not bmc.disable_certificate_verification,
        authorities=authorities,
    )
