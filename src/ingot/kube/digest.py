"""Which events are worth writing: a repeat is counted instead of told again, a flood is cut.

Both rules are client-go's: 25 events at once for an object, then one in five minutes.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from ingot.kube.kind import ObjectKey

__all__ = ["Digest", "Happening", "Note", "Severity"]

K = TypeVar("K")
V = TypeVar("V")

BURST = 25
REFILL_SECONDS = 300.0
FORGET_SECONDS = 50 * 60.0
"""The API server drops an event after an hour; a repeat after that is a new one."""

REMEMBERED = 4096
"""Events and objects that are remembered; who is not heard of for longest is forgotten."""


class Severity(StrEnum):
    """How an event is shown."""

    NORMAL = "Normal"
    WARNING = "Warning"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something to be known about an object. Equal ones are repeats.

    Attributes:
        api_version: of the object.
        kind: of the object.
        key: what the object is called.
        uid: which one of that name.
        severity: how it is shown.
        reason: one word, such as `ProvisioningError`.
        message: a sentence.
    """

    api_version: str
    kind: str
    key: ObjectKey
    uid: str
    severity: Severity
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Note:
    """What to write: an event that happened so many times.

    Attributes:
        number: tells events of this process apart.
        happening: what.
        count: how often so far.
        first: when it was first heard of, by the clock that was given.
    """

    number: int
    happening: Happening
    count: int
    first: float


@dataclass(slots=True)
class _Heard:
    number: int
    count: int
    first: float
    last: float


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class _Recent(OrderedDict[K, V], Generic[K, V]):
    """A dictionary of what was last used, of limited size."""

    def recall(self, key: K, made: V) -> V:
        value = self.setdefault(key, made)
        self.move_to_end(key)
        if len(self) > REMEMBERED:
            self.popitem(last=False)
        return value


@dataclass(slots=True)
class Digest:
    """What has been heard of lately."""

    _heard: _Recent[Happening, _Heard] = field(default_factory=_Recent)
    _buckets: _Recent[str, _Bucket] = field(default_factory=_Recent)
    _numbers: int = 0

    def take(self, happening: Happening, *, now: float) -> Note | None:
        """Return what to write, or None where the object has had its share.

        What is not written is counted all the same, and told with the next that is.
        """
        known = self._heard.get(happening)
        if known is None or now - known.last > FORGET_SECONDS:
            self._heard.pop(happening, None)
            self._numbers += 1
            known = _Heard(self._numbers, 0, now, now)
        known = self._heard.recall(happening, known)
        known.count += 1
        known.last = now
        if not self._allowed(happening.uid or str(happening.key), now):
            return None
        return Note(known.number, happening, known.count, known.first)

    def _allowed(self, subject: str, now: float) -> bool:
        bucket = self._buckets.recall(subject, _Bucket(BURST, now))
        bucket.tokens = min(BURST, bucket.tokens + (now - bucket.at) / REFILL_SECONDS)
        bucket.at = now
        if bucket.tokens < 1:
            return False
        bucket.tokens -= 1
        return True
