"""The groups of servers that join: by these a request for a certificate tells who asks.

The config server writes them into the bootstrap token of a host, the API server writes them into
whatever is asked with it, and whoever approves certificates reads them there.
"""

from __future__ import annotations

from typing import Final

__all__ = ["HOST_GROUP", "JOINERS", "group_of", "host_in"]

JOINERS: Final = "system:bootstrappers:ingot:nodes"
"""All servers that join. kubeadm's own group is not used: what it asks for is approved unseen."""

HOST_GROUP: Final = "system:bootstrappers:ingot:host:"
"""The beginning of the group of who uses a host's token. What follows is the host's name; a group
cannot have its dots, and a name cannot have the colons that are put there instead."""


def group_of(host: str) -> str:
    """Return the group of who uses a host's token."""
    return HOST_GROUP + host.replace(".", ":")


def host_in(groups: frozenset[str]) -> str:
    """Return the one host that groups name; "" if there is none, or more than one."""
    named = [one.removeprefix(HOST_GROUP) for one in groups if one.startswith(HOST_GROUP)]
    return named[0].replace(":", ".") if len(named) == 1 else ""
