"""The observer outside: who holds each VIP, every 10 ms, by what is said on the wire."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from itertools import count
from pathlib import Path

from tests.e2e.site import eventually
from tests.onprem_site.observation import NOBODY, Look, Nodes, Span, spans
from tests.onprem_site.plan import Address
from tests.onprem_site.site import Site

_numbers = count()


@dataclass
class Prober:
    """What is seen of VIPs while a block runs, and after it.

    Attributes:
        vips: those that are looked at.
        looks: all that were read until now, in order.
    """

    site: Site
    vips: tuple[str, ...]
    record: Path
    looks: list[Look] = field(default_factory=list)
    _read: int = 0

    def read(self) -> Sequence[Look]:
        """Return all looks until now."""
        with self.record.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        names = {node.seat.mac: name for name, node in self.site.nodes.items()}
        for line in whole.splitlines():
            at, answered, announced = json.loads(line)
            self.looks.append(Look(at, _named(answered, names), _named(announced, names)))
        return self.looks

    def spans(self, vip: Address | str) -> list[Span]:
        """Return who held a VIP from the beginning until now."""
        return spans(self.read(), str(vip))

    def holders(self, vip: Address | str) -> Nodes:
        """Return who holds a VIP now."""
        looks = self.read()
        return looks[-1].answered.get(str(vip), NOBODY) if looks else NOBODY

    def wait_for(
        self, vip: Address | str, *holders: str, within: float, lasting: float = 0.0
    ) -> float:
        """Wait until these nodes and no others hold a VIP.

        Args:
            vip: the VIP.
            holders: the nodes; none for nobody.
            within: seconds to wait for it at most.
            lasting: seconds for which it has to have been so.

        Returns:
            the moment from which it was so.
        """
        asked, wanted = time.monotonic(), frozenset(holders)

        def since() -> float | None:
            over_time = self.spans(vip)
            if not over_time or over_time[-1].holders != wanted or over_time[-1].end < asked:
                return None
            return over_time[-1].begin if over_time[-1].seconds >= lasting else None

        try:
            return eventually(since, within=within, every=0.01)
        except TimeoutError:
            shown = "\n".join(map(str, self.spans(vip)[-20:]))
            raise AssertionError(
                f"{vip}: not {sorted(wanted) or 'nobody'} within {within} seconds\n{shown}"
            ) from None


@contextmanager
def watching(site: Site, *vips: Address) -> Iterator[Prober]:
    """Look at VIPs every 10 ms until the end of the block; what was seen stays."""
    name = f"asking-{next(_numbers)}"
    seat = site.observer.seat
    own = next((str(a) for a in seat.addresses if isinstance(a, IPv6Address)), "")
    record = site.observer.folder / f"{name}.jsonl"
    prober = Prober(site, tuple(map(str, vips)), record)
    process = site.observer.start_own("asking", str(record), seat.mac, own, *prober.vips, name=name)
    try:
        yield prober
    finally:
        process.kill()
        prober.read()


def _named(macs: dict[str, list[str]], names: dict[str, str]) -> dict[str, Nodes]:
    return {vip: frozenset(names.get(mac, mac) for mac in found) for vip, found in macs.items()}
