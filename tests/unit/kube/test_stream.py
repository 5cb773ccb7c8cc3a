"""Events out of bytes, however they are cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.kube.errors import Gone, Unavailable
from ingot.kube.stream import EventType, events_of, lines
from tests.unit.kube.fastforward import fast_forward
from tests.unit.kube.objects import THINGS


async def chunks_of(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


@given(
    texts=st.lists(st.binary(min_size=1).filter(lambda text: b"\n" not in text)),
    cuts=st.lists(st.integers(0, 500)),
    tail=st.binary().filter(lambda text: b"\n" not in text),
)
def test_lines_are_whole_however_the_stream_is_cut(
    texts: list[bytes], cuts: list[int], tail: bytes
) -> None:
    stream = b"".join(text + b"\n" for text in texts) + tail
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    parts = [stream[a:b] for a, b in pairwise(places)]

    async def read() -> list[bytes]:
        return [line async for line in lines(chunks_of(*parts), silence=10)]

    assert asyncio.run(read()) == texts


@fast_forward
async def test_event_is_its_type_and_its_object() -> None:
    line = b'{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"7"}}}\n'
    mark = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}\n'
    found = [event async for event in events_of(THINGS, "WATCH", chunks_of(line + mark), silence=1)]
    assert [event.type for event in found] == [EventType.MODIFIED, EventType.BOOKMARK]
    assert [event.object.metadata.resource_version for event in found] == ["7", "9"]
    assert found[0].object.content == {"metadata": {"name": "a", "resourceVersion": "7"}}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (b'{"code":410,"reason":"Expired","message":"too old"}', Gone),
        (b'{"code":410,"reason":"Gone","message":"too old"}', Gone),
        (b'{"code":504,"reason":"Timeout","message":"Too large resource version"}', Unavailable),
    ],
)
def test_error_inside_of_a_watch_is_raised(status: bytes, error: type[Exception]) -> None:
    @fast_forward
    async def check() -> None:
        said = b'{"type":"ERROR","object":' + status + b"}\n"
        events = events_of(THINGS, "WATCH", chunks_of(said), silence=1)
        with pytest.raises(error, match=r"too old|Too large"):
            await anext(events)

    check()


@fast_forward
async def test_silence_is_an_end() -> None:
    async def quiet() -> AsyncIterator[bytes]:
        yield b"{}\n"
        await asyncio.sleep(1000)

    reading = lines(quiet(), silence=150)
    assert await anext(reading) == b"{}"
    with pytest.raises(TimeoutError):
        await anext(reading)
    assert asyncio.get_running_loop().time() == pytest.approx(150)
