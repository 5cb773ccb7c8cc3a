"""Watches against a real API server that is killed, compacted and restarted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from ingot.kube import sharedwatch
from ingot.kube.changes import Change
from ingot.kube.client import KubeClient, Selection
from ingot.kube.kind import ObjectKey
from ingot.kube.sharedwatch import SharedWatch, Watches
from tests.integration.kube.widgets import (
    WIDGETS,
    Widget,
    awaited,
    connected,
    in_thread,
    until,
    widget,
)
from tests.integration.kubeapi import NOBODY_TOKEN, KubeApi


@asynccontextmanager
async def running(watch: SharedWatch[Widget]) -> AsyncIterator[list[str]]:
    """Run a watch; yields what a subscriber was told."""
    told: list[str] = []

    def note(change: Change[Widget]) -> None:
        what = "+" if change.old is None else "-" if change.new is None else "~"
        told.append(f"{what}{change.object.key.name}")

    watch.subscribe(note)
    task = asyncio.create_task(watch.run())
    try:
        await watch.synced.wait()
        yield told
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def make(client: KubeClient, namespace: str, *names: str) -> None:
    for name in names:
        await client.create(WIDGETS, widget(name, namespace))


@awaited()
async def test_what_is_there_and_what_happens_is_told_once(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        await make(client, namespace, "a", "b")
        watch = SharedWatch(client, WIDGETS, Selection(namespace))
        async with running(watch) as told:
            await make(client, namespace, "c")
            await client.patch(WIDGETS, ObjectKey(namespace, "a"), {"spec": {"size": 5}})
            await client.delete(WIDGETS, ObjectKey(namespace, "b"))
            await until(lambda: "-b" in told)
            assert told == ["+a", "+b", "+c", "~a", "-b"]
            kept = watch.store.get(ObjectKey(namespace, "a"))
            assert kept is not None
            assert kept.model.spec.size == 5
            assert [found.key.name for found in watch.store.within(namespace)] == ["a", "c"]


@awaited()
async def test_late_subscriber_is_told_of_what_is_there(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        await make(client, namespace, "a")
        watch = SharedWatch(client, WIDGETS, Selection(namespace))
        async with running(watch):
            late: list[str] = []
            end = watch.subscribe(lambda change: late.append(change.object.key.name))
            assert late == ["a"]
            end()
            await make(client, namespace, "b")
            await until(lambda: len(watch.store) == 2)
            assert late == ["a"]


@awaited(within=90)
async def test_watch_goes_on_where_it_was_after_the_server_was_killed(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        await make(client, namespace, "a")
        watch = SharedWatch(client, WIDGETS, Selection(namespace))
        async with running(watch) as told:
            await in_thread(api.kill_api)
            await until(lambda: watch.problem is not None)
            await in_thread(api.start_api)
            api.request(
                "POST",
                WIDGETS.path(namespace),
                {"apiVersion": "test.ingot.dev/v1", "kind": "Widget", **widget("b", namespace)},
            )
            await until(lambda: "+b" in told, within=60)
            assert told == ["+a", "+b"]
            assert watch.problem is None


@awaited(within=90)
async def test_difference_is_told_where_the_server_has_forgotten_the_version(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        await make(client, namespace, "gone", "kept", "made-again", "same")
        watch = SharedWatch(client, WIDGETS, Selection(namespace))
        async with running(watch):
            pass
        # It stands still while all this happens, as in a process that was frozen.
        await client.delete(WIDGETS, ObjectKey(namespace, "gone"))
        await client.delete(WIDGETS, ObjectKey(namespace, "made-again"))
        await make(client, namespace, "made-again")
        await client.patch(WIDGETS, ObjectKey(namespace, "kept"), {"spec": {"size": 2}})
        await in_thread(api.compact)
        await in_thread(api.kill_api)
        await in_thread(api.start_api)
        async with running(watch) as told:
            known = ["+gone", "+kept", "+made-again", "+same"]
            assert told == known, "what a new subscriber is told"
            await until(lambda: len(told) > len(known), within=60)
            difference = told[len(known) :]
            assert sorted(difference) == ["+made-again", "-gone", "-made-again", "~kept"]
            assert difference.index("-made-again") < difference.index("+made-again")
            assert watch.listings == 2


@awaited()
async def test_watch_without_the_right_says_so_and_tries_again(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api, token=NOBODY_TOKEN) as client:
        watches = Watches(client)
        watch = watches.of(WIDGETS, Selection(namespace))
        assert watches.of(WIDGETS, Selection(namespace)) is watch
        task = asyncio.create_task(watches.run())
        await until(lambda: watch.problem is not None)
        (problem,) = watches.problems()
        assert "nobody" in problem
        task.cancel()


@awaited()
async def test_what_was_written_is_read_before_the_watch_tells_it(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        await make(client, namespace, "a")
        watch = SharedWatch(client, WIDGETS, Selection(namespace))
        async with running(watch):
            pass
        key = ObjectKey(namespace, "a")
        written = await client.patch(WIDGETS, key, {"spec": {"size": 4}})
        watch.saw(written)
        assert watch.store.get(key) is written
        async with running(watch) as told:
            await make(client, namespace, "b")
            await until(lambda: "+b" in told)
            assert told == ["+a", "+b"], "a version that is known is not told again"
            await client.delete(WIDGETS, key)
            await until(lambda: "-a" in told)
            watch.saw(written)
            assert watch.store.get(key) is None, "what is gone does not come back"


@awaited()
async def test_connection_that_ends_in_time_is_followed_by_the_next(
    api: KubeApi, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharedwatch, "CONNECTION_SECONDS", (1.0, 1.0))
    async with connected(api) as client:
        answers: list[tuple[str, int]] = []
        client.on_answer.append(lambda method, code: answers.append((method, code)))
        watch = SharedWatch(client, WIDGETS, Selection(namespace))
        async with running(watch) as told:
            await until(lambda: answers.count(("WATCH", 200)) >= 3)
            await make(client, namespace, "a")
            await until(lambda: told == ["+a"])
            assert watch.listings == 1
            assert watch.problem is None
