"""What a watch says: one JSON document a line, for as long as the connection lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from ingot.kube.errors import status_error, unreadable
from ingot.kube.kind import Kind
from ingot.kube.object import KubeObject

__all__ = ["Event", "EventType", "events_of", "lines"]

T = TypeVar("T")


class EventType(StrEnum):
    """What happened. A bookmark only says how far the server has come."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


@dataclass(frozen=True, slots=True)
class Event(Generic[T]):
    """One thing that happened; of a bookmark's object, only the resource version counts."""

    type: EventType
    object: KubeObject[T]


class _Line(msgspec.Struct):
    type: str
    object: msgspec.Raw


async def events_of(
    kind: Kind[T], call: str, chunks: AsyncIterator[bytes], *, silence: float
) -> AsyncIterator[Event[T]]:
    """Yield the events that a stream of bytes holds.

    Raises:
        ApiError: the server ended the watch with an error; usually Gone.
        TimeoutError: nothing came for too long.
    """
    async for line in lines(chunks, silence=silence):
        try:
            said = msgspec.json.decode(line, type=_Line)
            if said.type == "ERROR":
                raise status_error(call, bytes(said.object))
            event = Event(EventType(said.type), KubeObject(kind, bytes(said.object)))
        except (msgspec.MsgspecError, ValueError) as odd:
            raise unreadable(call, odd) from odd
        yield event


async def lines(chunks: AsyncIterator[bytes], *, silence: float) -> AsyncIterator[bytes]:
    """Yield whole lines; what is cut off at the end of the stream is dropped.

    The parts of a long line are joined once, when its end is there: an object may come in hundreds
    of chunks.

    Raises:
        TimeoutError: nothing came for too long.
    """
    begun: list[bytes] = []
    while True:
        try:
            async with asyncio.timeout(silence):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        first, *others = chunk.split(b"\n")
        begun.append(first)
        for other in others:
            if line := b"".join(begun):
                yield line
            begun = [other]
