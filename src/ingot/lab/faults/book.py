"""Which faults are set on a lab's hosts, and whether one strikes now.

Whether it strikes is decided by the seed and the number of the occasion alone, so the same seed
gives the same failures at the same occasions, whatever else happens in between. Occasions are
counted for each host and kind from the moment the fault was set.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

from ingot.lab.faults.kind import KINDS, FaultKind

__all__ = ["Fault", "FaultBook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault that is set on a host.

    Attributes:
        rate: how likely each occasion is to be struck, from 0 to 1.
        times: how many occasions are struck at most; None has no limit.
        after: how many occasions are spared first.
        seed: decides which ones the rate picks.
        amount: how much, in the unit of the kind; None where the kind has none.
        seen: occasions so far.
        struck: how many of them were struck.
    """

    host: str
    kind: FaultKind
    rate: float = 1.0
    times: int | None = None
    after: int = 0
    seed: int = 0
    amount: float | None = None
    seen: int = 0
    struck: int = 0

    @property
    def is_spent(self) -> bool:
        """Whether it can never strike again."""
        return self.times is not None and self.struck >= self.times


class FaultBook:
    """All faults of a lab; safe to use from any thread, and kept in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._watchers: list[Callable[[str], None]] = []
        self._faults: dict[tuple[str, FaultKind], Fault] = {}
        if path.exists():
            for entry in json.loads(path.read_text(encoding="utf-8")):
                fault = Fault(**{**entry, "kind": FaultKind(entry["kind"])})
                self._faults[fault.host, fault.kind] = fault

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have a function called with a host's name after its faults have been set or cleared."""
        self._watchers.append(changed)

    def set(self, fault: Fault) -> None:
        """Set a fault; one of the same kind on the same host is replaced, its counts forgotten."""
        info = KINDS[fault.kind]
        fresh = replace(
            fault,
            seen=0,
            struck=0,
            amount=info.default if fault.amount is None else fault.amount,
            times=info.times if fault.times is None else fault.times,
        )
        with self._lock:
            self._faults[fault.host, fault.kind] = fresh
            self._save()
        self._tell(fault.host)

    def clear(self, host: str, kind: FaultKind | None = None) -> tuple[Fault, ...]:
        """Clear one fault of a host, or all of them; return what was cleared."""
        with self._lock:
            gone = tuple(
                fault
                for (name, one), fault in self._faults.items()
                if name == host and kind in (None, one)
            )
            for fault in gone:
                del self._faults[fault.host, fault.kind]
            self._save()
        if gone:
            self._tell(host)
        return gone

    def faults(self, host: str | None = None) -> tuple[Fault, ...]:
        """Return what is set, on one host or on all."""
        with self._lock:
            found = [fault for fault in self._faults.values() if host in (None, fault.host)]
        return tuple(sorted(found, key=lambda fault: (fault.host, fault.kind)))

    def present(self, host: str, kind: FaultKind) -> Fault | None:
        """Return a fault if it is set, without counting an occasion."""
        with self._lock:
            return self._faults.get((host, kind))

    def strikes(self, host: str, kind: FaultKind) -> Fault | None:
        """Count an occasion; return the fault if this one is struck."""
        with self._lock:
            fault = self._faults.get((host, kind))
            if fault is None:
                return None
            hit = not fault.is_spent and fault.seen >= fault.after and _picked(fault)
            self._faults[host, kind] = replace(
                fault, seen=fault.seen + 1, struck=fault.struck + hit
            )
            self._save()
            return fault if hit else None

    def _tell(self, host: str) -> None:
        for changed in self._watchers:
            changed(host)

    def _save(self) -> None:
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(fault) for fault in self._faults.values()]))
        fresh.replace(self._path)


def _picked(fault: Fault) -> bool:
    if fault.rate >= 1:
        return True
    word = f"{fault.seed}/{fault.host}/{fault.kind}/{fault.seen}".encode()
    return int.from_bytes(sha256(word).digest()[:8]) / (1 << 64) < fault.rate
