"""What a client saw of a server behind an address, and what follows from it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path

from tests.e2e.site import eventually
from tests.onprem_site.certificates import Certificate
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Address

RATE = 100
PATIENCE_SECONDS = 1.0

_numbers = count()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what came of it.

    Attributes:
        at: when it was asked, in seconds of the monotonic clock.
        over: when it was answered or given up.
        server: who answered; None for nobody.
        wrong: what went wrong, where nobody did.
    """

    at: float
    over: float
    server: str | None
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """A time without an answer: from the end of one to the end of the next."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin


def gaps(asked: Sequence[Asked], *, beyond: float) -> list[Gap]:
    """Return the times longer than that in which the client got no answer."""
    answered = sorted(one.over for one in asked if one.server is not None)
    return [Gap(begin, end) for begin, end in pairwise(answered) if end - begin > beyond]


def longest_gap(asked: Sequence[Asked]) -> float:
    """Return the seconds of the longest time without an answer."""
    return max((gap.seconds for gap in gaps(asked, beyond=0)), default=0.0)


def failures(asked: Sequence[Asked]) -> Counter[str]:
    """Return how often what went wrong."""
    return Counter(one.wrong for one in asked if one.server is None)


def servers(asked: Sequence[Asked]) -> Counter[str]:
    """Return how often who answered."""
    return Counter(one.server for one in asked if one.server is not None)


def slowest(asked: Sequence[Asked]) -> float:
    """Return the seconds that the slowest answer took."""
    return max((one.over - one.at for one in asked if one.server is not None), default=0.0)


@dataclass
class Client:
    """What is asked while a block runs.

    Attributes:
        asked: all that was read until now, in order of its end.
    """

    record: Path
    asked: list[Asked] = field(default_factory=list)
    _read: int = 0

    def read(self) -> Sequence[Asked]:
        """Return all that came to an end until now."""
        with self.record.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        self.asked += [Asked(*json.loads(line)) for line in whole.splitlines()]
        return self.asked

    def since(self, moment: float) -> list[Asked]:
        """Return what was asked from a moment on."""
        return [one for one in self.read() if one.at >= moment]

    def wait_for(self, server: str, *, within: float) -> None:
        """Wait until a question from now on is answered by that server."""
        begun = time.monotonic()

        def is_served() -> bool:
            return any(one.server == server for one in self.since(begun))

        eventually(is_served, within=within, every=0.01)


@contextmanager
def asking(
    node: Node,
    address: Address,
    port: int,
    path: str = "/version",
    *,
    certificate: Certificate | None = None,
    rate: float = RATE,
) -> Iterator[Client]:
    """Ask a server from a node, a hundred times a second, until the end of the block."""
    name = f"requesting-{next(_numbers)}"
    client = Client(node.folder / f"{name}.jsonl")
    ca = str(certificate.certificate) if certificate else ""
    where = (str(address), str(port), path)
    how = (str(rate), str(PATIENCE_SECONDS), ca)
    process = node.start_own("requesting", str(client.record), *where, *how, name=name)
    try:
        yield client
    finally:
        process.finish()
        client.read()
