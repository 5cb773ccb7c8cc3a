"""Which faults are set on a lab's hosts, and whether one strikes now.

Occasions are counted for each host and kind from the moment the fault was set. Counts are kept with
the faults, so a daemon that was started over goes on where it was.

The file has a line for each fault, and of several for the same one the last counts. So an occasion
costs no more than a line at its end; it is written anew when faults change, or after many lines.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from ingot.errors import ExitCode, IngotError
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind

__all__ = ["BookUnreadable", "Fault", "FaultBook"]


MOST_LINES = 10_000
"""After as many, the file is written anew; and by the first of a book that has just been opened,
because the last line of the book before may have been cut short."""


class BookUnreadable(IngotError):  # noqa: N818 - it says what was seen
    """The file that keeps the faults is not one that was written here."""

    exit_code = ExitCode.INFRASTRUCTURE


class FaultBook:
    """All faults of a lab; safe to use from any thread, and kept in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._watchers: list[Callable[[str], None]] = []
        self._faults = _read(path)
        self._lines = MOST_LINES

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have a function called with a host's name after its faults have been set or cleared.

        One that cannot make a fault take effect raises an `IngotError`.
        """
        self._watchers.append(changed)

    def set(self, fault: Fault) -> None:
        """Set a fault; one of the same kind on the same host is replaced, its counts forgotten.

        Raises:
            IngotError: there can be no such fault, or it cannot take effect; nothing has changed.
        """
        place = fault.host, fault.kind
        fresh = fault.checked()
        with self._lock:
            before = self._faults.get(place)
            self._faults[place] = fresh
            self._save()
        try:
            self._tell(fault.host)
        except IngotError:
            with self._lock:
                if before is None:
                    self._faults.pop(place, None)
                else:
                    self._faults[place] = before
                self._save()
            with suppress(IngotError):  # The first error is the one to tell.
                self._tell(fault.host)
            raise

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
            if gone:
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
        """Count an occasion; return the fault if this one is struck.

        Called for every packet and request: where nothing is set, it costs no more than a look.
        """
        with self._lock:
            before = self._faults.get((host, kind))
            if before is None:
                return None
            after = before.next_occasion()
            self._faults[host, kind] = after
            # Of one that is spent, only a number changes that decides nothing any more.
            if not before.is_spent or before.striking:
                self._note(after)
            return after if after.striking else None

    def _tell(self, host: str) -> None:
        errors: list[IngotError] = []
        for changed in self._watchers:
            try:
                changed(host)
            except IngotError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _save(self) -> None:
        fresh = self._path.with_suffix(".new")
        fresh.write_text("".join(map(_line, self._faults.values())), encoding="utf-8")
        fresh.replace(self._path)
        self._lines = len(self._faults)

    def _note(self, fault: Fault) -> None:
        self._lines += 1
        if self._lines > MOST_LINES:
            self._save()
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(fault))


def _line(fault: Fault) -> str:
    return json.dumps(asdict(fault)) + "\n"


def _read(path: Path) -> dict[tuple[str, FaultKind], Fault]:
    try:
        # What follows the last end of a line was never written to its end.
        *lines, _ = path.read_text(encoding="utf-8").split("\n")
        entries = [json.loads(line) for line in lines]
        faults = [Fault(**{**entry, "kind": FaultKind(entry["kind"])}) for entry in entries]
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError) as error:
        raise BookUnreadable(
            f"{path} is not a list of faults: {error}",
            remedy="remove it, which clears all faults of the lab, and set them again",
        ) from error
    return {(fault.host, fault.kind): fault for fault in faults}
