"""Which hosts were on when a lab was stopped, so that they are on again when it is started."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

__all__ = ["PoweredHosts"]


class PoweredHosts:
    """Their names, kept in a file.

    After a reboot of the PC there is none, and the hosts stay off: nobody has asked for them.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / "powered.json"

    def remember(self, hosts: Iterable[str]) -> None:
        """Add hosts to those that are remembered: who was on when stopping began still counts."""
        names = sorted({*self.remembered(), *hosts})
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(names), encoding="utf-8")
        fresh.replace(self._path)

    def remembered(self) -> tuple[str, ...]:
        """Return their names."""
        try:
            return tuple(json.loads(self._path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError):
            return ()

    def forget(self) -> None:
        """Have nothing remembered."""
        self._path.unlink(missing_ok=True)
