"""How soon a node asks again for a neighbour that did not answer.

An advert to a peer whose hardware address is not known waits for it. The kernel asks for it once a
second. So after a long partition, when all such addresses are forgotten, two holders would not hear
each other for up to a second: 0.57 s were seen.

So it asks twice in an advert's time. It also asks more often before it gives up, for three seconds
as without us: else it rests between giving up and the next advert, and where that fell together for
two holders, they met 0.13 s after a partition was healed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ingot.onprem.keepalived import ADVERT_SECONDS
from ingot.onprem.model import OwnAddress
from ingot.onprem.problem import UnwritableError

__all__ = ["ask_soon"]

ASK_SECONDS = ADVERT_SECONDS / 2
PATIENCE_SECONDS = 3.0

SETTINGS = {
    "retrans_time_ms": round(ASK_SECONDS * 1000),
    "mcast_solicit": round(PATIENCE_SECONDS / ASK_SECONDS),
}


def ask_soon(own: Iterable[OwnAddress]) -> None:
    """Have the kernel ask for silent neighbours more often than adverts are sent.

    Raises:
        UnwritableError: it goes on as it did.
    """
    for one in own:
        folder = Path("/proc/sys/net", f"ipv{one.family.value}", "neigh", one.interface)
        for name, value in SETTINGS.items():
            try:
                (folder / name).write_text(f"{value}\n", encoding="ascii")
            except OSError as error:
                raise UnwritableError(folder / name, error.strerror or str(error)) from error
