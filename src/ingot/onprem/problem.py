"""What can be wrong with a node's network, each with what to do about it.

Every one of them leaves the last good state in place: none is a reason to give up a VIP.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path

from ingot.errors import ExitCode, IngotError

__all__ = [
    "BadAnswerError",
    "DuplicatePeerError",
    "NameTooLongError",
    "NoDefaultRouteError",
    "NoUpstreamsError",
    "OnPremError",
    "PortTakenError",
    "RefusedConfigError",
    "UnwritableError",
    "VipOutsideError",
]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class OnPremError(IngotError):
    """Something about a node's network that a person can act on."""

    exit_code = ExitCode.INFRASTRUCTURE


class VipOutsideError(OnPremError):
    """A VIP lies on no network of this node."""

    def __init__(self, vip: Address, networks: Iterable[Network]) -> None:
        seen = ", ".join(map(str, networks)) or "no network at all"
        super().__init__(
            f"VIP {vip} lies on none of this node's networks: {seen}",
            remedy="choose a VIP from the machine network, or connect this node to the network "
            "of the VIP",
        )
        self.vip = vip


class DuplicatePeerError(OnPremError):
    """Two nodes of a cluster have the same name or address."""

    def __init__(self, shared: str, names: Iterable[str]) -> None:
        shown = " and ".join(sorted(names))
        super().__init__(
            f"{shared} belongs to more than one node: {shown}",
            remedy="give each node a name and an address of its own",
        )
        self.shared = shared


class NameTooLongError(OnPremError):
    """A name is longer than DNS or the kernel allows."""

    def __init__(self, what: str, name: str, *, limit: int) -> None:
        super().__init__(
            f"{what} {name[:80]!r} has {len(name)} characters; {limit} are allowed",
            remedy="choose a shorter one",
        )
        self.name = name
        self.limit = limit


class NoDefaultRouteError(OnPremError):
    """There is no way to tell which address of a node is its own."""

    def __init__(self, seen: Iterable[str]) -> None:
        shown = ", ".join(seen) or "none"
        super().__init__(
            f"no address of this node is on the network of a VIP, and it has no default route to "
            f"choose one by (addresses: {shown})",
            remedy="check the cable and DHCP of the machine network, or add a default route",
        )


class UnwritableError(OnPremError):
    """A file cannot be written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path} cannot be written: {why}",
            remedy=f"see `ls -ld {path.parent}` and `df {path.parent}`; the file that was there "
            "stays in use",
        )
        self.path = path


class PortTakenError(OnPremError):
    """Another program listens where one of ours has to."""

    def __init__(self, port: int, purpose: str) -> None:
        super().__init__(
            f"port {port} is taken, but {purpose} needs it",
            remedy=f"see who has it with `ss -lntup 'sport = :{port}'`, and stop that program",
        )
        self.port = port


class RefusedConfigError(OnPremError):
    """A daemon's own checker does not accept what was rendered for it."""

    def __init__(self, program: str, said: str) -> None:
        super().__init__(
            f"{program} refuses its new configuration; the one in use stays:\n{said}",
            remedy="report this with the lines above: Ingot rendered it",
        )
        self.program = program
        self.said = said


class NoUpstreamsError(OnPremError):
    """Nobody can be asked for names outside the cluster."""

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{source} names no DNS server but this node itself",
            remedy="check that DHCP or the static network configuration gives a DNS server",
        )


class BadAnswerError(OnPremError):
    """A program answered in a way that cannot be understood."""

    def __init__(self, program: str, said: str) -> None:
        super().__init__(
            f"{program} gave an answer that cannot be used: {said[:300]!r}",
            remedy="check that it is the version that the node image has",
        )
