"""The requests that Ironic has answered, by its own log.

A proxy that counts would cost the machine more than some of the requests do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LINE: Final = re.compile(
    r" INFO ironic\.api .* - (?P<method>[A-Z]+) (?P<path>/[^ ?]*)\S*"
    r" - (?P<code>\d+) \((?P<ms>[\d.]+)ms\)"
)
_IDENTITY: Final = re.compile(r"(?<=/)([0-9a-f]{8}-[0-9a-f-]{27}|[^/]*(~|%7E)[^/]*)(?=/|$)")


@dataclass(frozen=True, slots=True)
class Request:
    """One, answered.

    Attributes:
        kind: its method and path, with `ID` in place of each identity.
        seconds: how long the answer took.
    """

    kind: str
    code: int
    seconds: float


def requests_in(log: str) -> Iterator[Request]:
    """Yield the requests that a part of the log tells of."""
    for line in log.splitlines():
        if found := _LINE.search(line):
            path = _IDENTITY.sub("ID", found["path"]).removeprefix("/v1") or "/"
            yield Request(
                f"{found['method']} {path}", int(found["code"]), float(found["ms"]) / 1000
            )


@dataclass
class RequestLog:
    """Ironic's log, read on from where it was left."""

    log: Path
    _place: int = 0

    def skip(self) -> None:
        """Leave out what is there already."""
        self._place = self.log.stat().st_size

    def new(self) -> list[Request]:
        """Return the requests since the last call."""
        with self.log.open("rb") as file:
            file.seek(self._place)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._place += len(whole)
        return list(requests_in(whole.decode("utf-8", errors="replace")))


def by_kind(requests: list[Request]) -> Counter[str]:
    """Return how many there were of each kind."""
    return Counter(one.kind for one in requests)
