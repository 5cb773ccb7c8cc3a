"""This node's own address: chosen once, written down, and kept over restarts."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from ipaddress import ip_address

from ingot.onprem.files import read_if_there, write_if_changed
from ingot.onprem.interfaces import LocalAddress, read_routes
from ingot.onprem.model import Address
from ingot.onprem.monitor.options import Options
from ingot.onprem.nodeaddress import Choice, choose

__all__ = ["choose_address"]


def choose_address(options: Options, addresses: Collection[LocalAddress]) -> Choice:
    """Return this node's own addresses, those chosen before where it still has them.

    Raises:
        NoDefaultRouteError: there is nothing to choose by.
        UnwritableError: the choice cannot be kept.
    """
    path = options.folders.state / "node-address.json"
    choice = choose(
        addresses,
        read_routes(),
        vips=options.cluster.all_vips,
        before=_before(read_if_there(path)),
    )
    write_if_changed(path, json.dumps([str(one.address) for one in choice.own]))
    return choice


def _before(text: str | None) -> tuple[Address, ...]:
    with suppress(ValueError, TypeError):
        return tuple(map(ip_address, json.loads(text or "[]")))
    return ()
