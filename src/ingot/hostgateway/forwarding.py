"""Whether this machine passes packets on, and that it does.

rp_filter is left as it is. Both directions between two nodes take the same card, so that even the
strict form (1) lets everything pass; nodes have the loose one (2), by systemd's default.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ingot.hostgateway.problem import UnwritableError

__all__ = ["ensure_forwarding"]

SWITCHES: Final = {4: "ipv4/ip_forward", 6: "ipv6/conf/all/forwarding"}
"""Below /proc/sys/net."""


def ensure_forwarding(folder: Path, versions: Iterable[int]) -> tuple[str, ...]:
    """Let packets be passed on, and return the switches that were off.

    A switch that is on is not written: writing ip_forward resets those of each card.

    Args:
        folder: /proc/sys/net, or where it may be written.
        versions: the families that pods have.

    Raises:
        UnwritableError: a switch is off, and cannot be set.
    """
    turned = []
    for version in versions:
        path = folder / SWITCHES[version]
        try:
            if path.read_text(encoding="ascii").strip() == "0":
                path.write_text("1\n", encoding="ascii")
                turned.append(SWITCHES[version])
        except OSError as error:
            raise UnwritableError(path, error.strerror or str(error)) from error
    return tuple(turned)
