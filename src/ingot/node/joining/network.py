"""This node's own address, as soon as it has one, and whether the cluster's API can be reached."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from ingot.onprem.files import read_if_there
from ingot.onprem.interfaces import read_addresses, read_routes
from ingot.onprem.model import Address
from ingot.onprem.nodeaddress import Choice, choose
from ingot.onprem.problem import NoDefaultRouteError

__all__ = ["own_addresses", "reached"]

EVERY_SECONDS: Final = 2.0
TELL_SECONDS: Final = 30.0
CONNECT_SECONDS: Final = 5.0

T = TypeVar("T")
Say = Callable[[str], None]


def own_addresses(vips: Collection[Address], chosen: Path, say: Say) -> Choice:
    """Return this node's own addresses, and wait for them as long as it takes.

    Args:
        vips: all of the cluster.
        chosen: where the monitor of the node's network keeps its choice, which counts.
        say: told what is waited for.
    """

    def looked() -> tuple[Choice | None, str]:
        try:
            found = choose(read_addresses(), read_routes(), vips=vips, before=_before(chosen))
        except NoDefaultRouteError as error:
            return None, error.what
        return found, ""

    return _awaited(looked, say)


def reached(api_server: str, say: Say) -> None:
    """Return when somebody takes connections at the API's address; wait as long as it takes."""
    parts = urlsplit(api_server)

    def looked() -> tuple[bool | None, str]:
        try:
            with socket.create_connection(
                (parts.hostname or "", parts.port or 443), CONNECT_SECONDS
            ):
                return True, ""
        except OSError as error:
            return None, f"{api_server} does not answer: {error.strerror or error}"

    _awaited(looked, say)


def _awaited(look: Callable[[], tuple[T | None, str]], say: Say) -> T:
    told, said = 0.0, ""
    while True:
        found, why = look()
        if found is not None:
            return found
        now = time.monotonic()
        if why != said or now - told > TELL_SECONDS:
            say(f"waiting: {why}")
            told, said = now, why
        time.sleep(EVERY_SECONDS)


def _before(chosen: Path) -> tuple[Address, ...]:
    with suppress(ValueError, TypeError):
        return tuple(map(ip_address, json.loads(read_if_there(chosen) or "[]")))
    return ()
