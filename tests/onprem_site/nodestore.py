"""The Nodes that the API servers of a cluster know of: a file, in place of their common store.

It is all events since the beginning, so that a watch may begin at any of them. All servers see a
change within a few milliseconds, and also where the network is split: a store that loses its
majority is not what is tested with this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.onprem_site.plan import Address, Role, Seat

ROLE_LABELS = {
    Role.CONTROL: {"node-role.kubernetes.io/control-plane": ""},
    Role.WORKER: {"node-role.kubernetes.io/worker": ""},
}


@dataclass(frozen=True)
class NodeStore:
    """The Nodes of a cluster.

    Attributes:
        path: the file.
    """

    path: Path

    @classmethod
    def made(cls, path: Path) -> NodeStore:
        """Return one with nothing in it."""
        store = cls(path)
        store._write([])
        return store

    def events(self) -> list[dict[str, Any]]:
        """Return all that has happened; the version of each is its place in this list, from 1."""
        found: list[dict[str, Any]] = json.loads(self.path.read_text())
        return found

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Return what is there now, by name."""
        present: dict[str, dict[str, Any]] = {}
        for event in self.events():
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED":
                del present[name]
            else:
                present[name] = event["object"]
        return present

    def join(self, *seats: Seat) -> None:
        """Let nodes be known, ready and by their own addresses."""
        for seat in seats:
            self.put(seat.name, seat.addresses, ROLE_LABELS.get(seat.role, {}))

    def put(
        self,
        name: str,
        addresses: Iterable[Address],
        labels: Mapping[str, str],
        *,
        ready: bool = True,
    ) -> None:
        """Let a Node be so from now on."""
        kind = "MODIFIED" if name in self.nodes() else "ADDED"
        shown = [{"type": "InternalIP", "address": str(address)} for address in addresses]
        status = "True" if ready else "False"
        self._happen(
            kind,
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {
                    "name": name,
                    "uid": f"uid-of-{name}",
                    "labels": {"kubernetes.io/hostname": name, **labels},
                },
                "status": {
                    "addresses": [*shown, {"type": "Hostname", "address": name}],
                    "conditions": [{"type": "Ready", "status": status}],
                },
            },
        )

    def delete(self, name: str) -> None:
        """Let a Node be no more."""
        self._happen("DELETED", self.nodes()[name])

    def _happen(self, kind: str, node: dict[str, Any]) -> None:
        events = self.events()
        version = {"resourceVersion": str(len(events) + 1)}
        node = {**node, "metadata": {**node["metadata"], **version}}
        self._write([*events, {"type": kind, "object": node}])

    def _write(self, events: list[dict[str, Any]]) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(events))
        new.replace(self.path)
