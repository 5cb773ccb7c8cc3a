"""How often somebody may be refused, or may ask: buckets that fill with time, one for each."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

__all__ = ["Allowance", "subject"]

REMEMBERED = 4096
"""Those who are not heard of for longest are forgotten: nobody fills our memory with addresses."""


@dataclass(slots=True)
class Allowance:
    """So many at once, and then one in so many seconds.

    Attributes:
        burst: how many at once.
        seconds: how long until there is one more.
    """

    burst: int
    seconds: float
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, who: str, *, now: float) -> int:
        """Take one and return 0; or, where none is left, the seconds until there is one."""
        left, at = self._left.pop(who, (float(self.burst), now))
        left = min(float(self.burst), left + (now - at) / self.seconds)
        allowed = left >= 1
        self._left[who] = (left - 1 if allowed else left, now)
        if len(self._left) > REMEMBERED:
            self._left.popitem(last=False)
        return 0 if allowed else max(1, math.ceil((1 - left) * self.seconds))


def subject(address: str) -> str:
    """Return whom an address stands for: of IPv6, everybody has a whole network to choose from."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    if parsed.is_link_local:
        return str(parsed)
    return str(ip_network((parsed, 64), strict=False))
