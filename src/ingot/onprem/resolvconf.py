"""/etc/resolv.conf: whose it is, and what it says.

It is ours: a regular file, replaced as a whole, that nothing else of the node image writes to. DHCP
renewals end up in the state of systemd-networkd, or in another daemon's own resolv.conf; we read
the servers from there. systemd-resolved has no part in it, since it would read back the servers
that we have written, and a server once given would stay forever.

The node's own address comes first, not loopback: the file is copied into pods. Two of the servers
outside follow, for when the node's DNS is down; the C library looks at no more than three.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from ingot.onprem.files import write_if_changed
from ingot.onprem.model import Address, Situation
from ingot.onprem.problem import NoUpstreamsError

__all__ = ["ResolvConf", "own_resolv_conf", "resolv_conf_of", "upstreams_of"]

MOST_SERVERS = 3
"""resolv.conf(5), MAXNS."""

MOST_DOMAINS = 6
"""Older C libraries look at no more; so does kubelet, by its own limit less what it adds."""


@dataclass(frozen=True, slots=True)
class ResolvConf:
    """What the file says.

    Attributes:
        servers: in the order in which they are asked.
        search: domains that are tried for short names.
    """

    servers: tuple[Address, ...]
    search: tuple[str, ...]

    def render(self) -> str:
        """Return the file."""
        search = f"search {' '.join(self.search)}\n" if self.search else ""
        servers = "".join(f"nameserver {server}\n" for server in self.servers)
        return f"# Rendered by ingot-node; changes are lost.\n{search}{servers}"


def upstreams_of(text: str, *, own: Collection[Address]) -> ResolvConf:
    """Return the servers and domains a node was given, without itself.

    Args:
        text: a resolv.conf, or the state file of systemd-networkd.
        own: every address of this node, VIPs included.

    Raises:
        NoUpstreamsError: there is none but this node.
    """
    servers: list[Address] = []
    search: list[str] = []
    for key, words in _lines(text):
        if key in {"nameserver", "DNS"}:
            servers += [address for word in words if (address := _address(word)) is not None]
        elif key in {"search", "domain", "DOMAINS"}:
            search = [word.removeprefix("~") for word in words if word != "~."]
    others = tuple(
        server for server in dict.fromkeys(servers) if server not in own and not server.is_loopback
    )
    if not others:
        raise NoUpstreamsError("the resolver that this node was given")
    return ResolvConf(others, tuple(dict.fromkeys(search)))


def _lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for line in text.splitlines():
        stripped = line.split("#")[0].split(";")[0].strip()
        key, sign, rest = stripped.partition("=")
        if sign and key.isidentifier():
            yield key, rest.split()
        elif stripped:
            first, *words = stripped.split()
            yield first, words


def _address(word: str) -> Address | None:
    """Return a server's address; one bound to a network card cannot be passed on to pods."""
    plain = word.partition("#")[0]
    try:
        address = ip_address(plain)
    except ValueError:
        return None
    return None if "%" in plain else address


def resolv_conf_of(situation: Situation, given: ResolvConf) -> ResolvConf:
    """Return what the node's file is to say."""
    own: Iterable[Address] = (one.address for one in situation.own)
    search = dict.fromkeys((situation.cluster.domain, *given.search))
    return ResolvConf(
        servers=(*own, *given.servers)[:MOST_SERVERS],
        search=tuple(search)[:MOST_DOMAINS],
    )


def own_resolv_conf(path: Path, wanted: ResolvConf) -> bool:
    """Make the file ours, and return whether it was not, or said something else.

    To be called whenever it may have changed: also a link that was put in its place is replaced.

    Raises:
        UnwritableError: the file is as it was.
    """
    return write_if_changed(path, wanted.render())
