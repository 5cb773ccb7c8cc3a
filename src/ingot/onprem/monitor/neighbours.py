"""How soon a node asks again for a neighbour that did not answer.

An advert to a peer whose hardware address is not known waits for it. The kernel asks for it once a
second. So after a long partition, when all such addresses are forgotten, two holders would not hear
each other for up to a second: 0.57 s were seen, and at most one advert's time with this.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ingot.onprem.keepalived import ADVERT_SECONDS
from ingot.onprem.model import OwnAddress
from ingot.onprem.problem import UnwritableError

__all__ = ["ask_soon"]


def ask_soon(own: Iterable[OwnAddress]) -> None:
    """Have the kernel ask for silent neighbours as often as adverts are sent.

    Raises:
        UnwritableError: it goes on as it did.
    """
    for one in own:
        family = f"ipv{one.family.value}"
        path = Path("/proc/sys/net", family, "neigh", one.interface, "retrans_time_ms")
        try:
            path.write_text(f"{round(ADVERT_SECONDS * 1000)}\n", encoding="ascii")
        except OSError as error:
            raise UnwritableError(path, error.strerror or str(error)) from error
