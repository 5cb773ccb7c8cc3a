"""Calls over a wire at whose other end anything may be."""

from __future__ import annotations

import asyncio

import pytest

from ingot.ironic.access import Access
from ingot.ironic.client import Ironic
from ingot.ironic.node import NodeId
from ingot.ironic.refusal import (
    AnswerError,
    DeadlineError,
    IronicError,
    OverloadedError,
    UnreachableError,
    VersionError,
)
from ingot.ironic.states import Verb
from ingot.ironic.transport import Limits
from tests.unit.ironic.server import Answer, always, answering, response

NODE = NodeId("a")


async def failure_of(answer: Answer, limits: Limits | None = None, **root: bytes) -> IronicError:
    async with answering(answer, **root) as (access, _), Ironic(access, limits) as ironic:
        with pytest.raises(IronicError) as failed:
            await ironic.nodes.statuses()
        return failed.value


def test_the_version_is_asked_for_once_and_named_in_every_call() -> None:
    async def story() -> None:
        async with answering(always(b'{"nodes": []}')) as (access, asked), Ironic(access) as ironic:
            await asyncio.gather(ironic.nodes.statuses(), ironic.nodes.statuses())
            assert sum(line.startswith("GET /v1 @") for line in asked) == 1
            assert [line.endswith("@1.110") for line in asked[1:]] == [True, True]

    asyncio.run(story())


def test_an_ironic_that_is_too_old_is_named_with_what_it_offers() -> None:
    old = b'{"version": {"min_version": "1.1", "version": "1.78"}}'
    error = asyncio.run(failure_of(always(b""), root=old))
    assert isinstance(error, VersionError)
    assert "1.1 to 1.78" in str(error)
    assert "1.89" in error.remedy


def test_an_ironic_that_became_another_is_asked_for_its_version_again() -> None:
    async def story() -> None:
        refusing = always(b"{}", "406 Not Acceptable")
        async with answering(refusing) as (access, asked), Ironic(access) as ironic:
            for _ in range(2):
                with pytest.raises(VersionError):
                    await ironic.nodes.statuses()
            assert sum(line.startswith("GET /v1 @") for line in asked) == 2

    asyncio.run(story())


@pytest.mark.parametrize(
    "content",
    [b"<html>", b"[]", b"{}", b'{"nodes": 1}', b'{"nodes": [1]}', b'{"nodes": [{}]}', b"",
     b'{"nodes": [{"uuid": 1}]}', b'{"nodes": [{"uuid": "a", "name": 5}]}'],
)  # fmt: skip
def test_an_answer_that_is_not_ironics_is_an_error(content: bytes) -> None:
    assert isinstance(asyncio.run(failure_of(always(content))), AnswerError)


@pytest.mark.parametrize("root", [b"", b"[]", b"<html>", b'{"version": {"version": "x"}}'])
def test_what_does_not_say_its_version_is_not_ironic(root: bytes) -> None:
    assert isinstance(asyncio.run(failure_of(always(b""), root=root)), AnswerError)


def test_nobody_there_is_said_as_such() -> None:
    async def story() -> None:
        async with Ironic(Access("http://127.0.0.1:1")) as ironic:
            with pytest.raises(UnreachableError) as gone:
                await ironic.driving.ask(NODE, Verb.MANAGE)
            assert not gone.value.may_have_acted

    asyncio.run(story())


def test_a_connection_that_breaks_leaves_open_whether_it_was_done() -> None:
    async def hang_up(line: str, writer: asyncio.StreamWriter) -> None:
        del line
        writer.close()

    async def story() -> None:
        async with answering(hang_up) as (access, _), Ironic(access) as ironic:
            with pytest.raises(UnreachableError) as broken:
                await ironic.driving.ask(NODE, Verb.MANAGE)
            assert broken.value.may_have_acted
            with pytest.raises(UnreachableError) as read:
                await ironic.nodes.get(NODE)
            assert not read.value.may_have_acted

    asyncio.run(story())


async def silent(line: str, writer: asyncio.StreamWriter) -> None:
    del line, writer


def test_silence_ends_at_the_deadline() -> None:
    error = asyncio.run(failure_of(silent, Limits(deadline=0.05)))
    assert isinstance(error, DeadlineError)
    assert not error.may_have_acted


def test_who_waits_too_long_for_its_turn_is_told_so() -> None:
    async def story() -> None:
        async with (
            answering(silent) as (access, _),
            Ironic(access, Limits(patience=0.05)) as ironic,
        ):
            first = asyncio.create_task(ironic.nodes.statuses())
            await asyncio.sleep(0)
            with pytest.raises(OverloadedError, match="behind other calls"):
                await ironic.nodes.statuses()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first

    asyncio.run(story())


def test_slow_calls_of_many_hosts_hold_up_no_quick_one() -> None:
    async def only_quick(line: str, writer: asyncio.StreamWriter) -> None:
        if "/validate" not in line:
            writer.write(response(b'{"nodes": []}' if line.startswith("GET") else b""))

    async def story() -> None:
        async with answering(only_quick) as (access, asked), Ironic(access) as ironic:
            slow = [
                asyncio.create_task(ironic.driving.validate(NodeId(f"slow-{number}")))
                for number in range(50)
            ]
            await asyncio.sleep(0)
            for number in range(50):
                await ironic.driving.ask(NodeId(f"quick-{number}"), Verb.MANAGE)
            await ironic.nodes.statuses()
            assert sum("/validate" in line for line in asked) == 3
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)

    asyncio.run(story())


def test_a_name_stays_within_its_part_of_the_path() -> None:
    async def story() -> None:
        async with answering(always(b"")) as (access, asked), Ironic(access) as ironic:
            await ironic.driving.ask(NodeId("../drivers?x=1"), Verb.MANAGE)
            assert asked[-1].startswith("PUT /v1/nodes/..%2Fdrivers%3Fx%3D1/states/provision")

    asyncio.run(story())
