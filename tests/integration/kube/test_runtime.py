"""Controllers against a real API server: nothing is lost, nothing is done twice at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ingot.kube.changes import any_of, finalizers_changed, generation_changed, owners
from ingot.kube.client import KubeClient, Selection
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.errors import NotFound
from ingot.kube.kind import ObjectKey
from ingot.kube.lease import Terms
from ingot.kube.runtime import Runtime
from ingot.kube.sharedwatch import SharedWatch
from tests.integration.kube.widgets import (
    CONFIG_MAPS,
    WIDGETS,
    Widget,
    awaited,
    connected,
    in_thread,
    until,
    widget,
)
from tests.integration.kubeapi import KubeApi

MANY = 1000
WORKERS = 8


@dataclass
class Measuring:
    """Writes into each widget's status the size that it has seen, and notices overlaps."""

    client: KubeClient
    watch: SharedWatch[Widget]
    done: Counter[ObjectKey] = field(default_factory=Counter)
    busy: set[ObjectKey] = field(default_factory=set)
    most: int = 0

    async def reconcile(self, key: ObjectKey) -> Result:
        assert key not in self.busy, f"{key} has two workers"
        self.busy.add(key)
        self.most = max(self.most, len(self.busy))
        try:
            found = self.watch.store.get(key)
            if found is None:
                return Result.done()
            seen = found.model
            if seen.status.get("size") != seen.spec.size:
                change = {"status": {"size": seen.spec.size}}
                written = await self.client.patch(WIDGETS, key, change, subresource="status")
                self.watch.saw(written)
            self.done[key] += 1
            return Result.done()
        finally:
            self.busy.remove(key)


@asynccontextmanager
async def measuring(
    client: KubeClient, namespace: str, *, workers: int = WORKERS
) -> AsyncIterator[tuple[Runtime, Measuring]]:
    runtime = Runtime(client, component="test")
    watch = runtime.watches.of(WIDGETS, Selection(namespace))
    measuring = Measuring(client, watch)
    controller = Controller(
        name="measuring",
        reconcile=measuring.reconcile,
        sources=[Source(watch, keep=any_of(generation_changed, finalizers_changed))],
        workers=workers,
    )
    stop = asyncio.Event()
    running = asyncio.create_task(runtime.run([controller], stop, grace=5))
    try:
        yield runtime, measuring
    finally:
        stop.set()
        await running


async def make_many(client: KubeClient, namespace: str, count: int) -> None:
    names = iter(range(count))

    async def maker() -> None:
        for number in names:
            await client.create(WIDGETS, widget(f"w{number:04}", namespace, size=number + 1))

    async with asyncio.TaskGroup() as group:
        for _ in range(16):
            group.create_task(maker())


async def unmeasured(client: KubeClient, namespace: str) -> list[str]:
    page = await client.list(WIDGETS, Selection(namespace))
    return [
        str(found.key)
        for found in page.objects
        if found.model.status.get("size") != found.model.spec.size
    ]


@awaited(within=180)
async def test_thousand_objects_are_reconciled_while_the_server_restarts(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        await make_many(client, namespace, MANY)
        async with measuring(client, namespace) as (runtime, work):
            await until(lambda: len(work.done) > MANY // 10, within=60)
            await in_thread(api.kill_api)
            assert len(work.done) < MANY, "killed in the middle"
            await in_thread(api.start_api)
            await until(lambda: len(work.done) == MANY, within=120)
            assert work.most <= WORKERS
        assert await unmeasured(client, namespace) == []
        metrics = runtime.metrics.text().decode()
        assert (
            'controller_runtime_reconcile_total{controller="measuring",result="error"}' in metrics
        )
        assert 'workqueue_depth{controller="measuring",name="measuring"} 0.0' in metrics


@awaited()
async def test_status_write_does_not_call_for_the_next_reconcile(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        await make_many(client, namespace, 3)
        async with measuring(client, namespace) as (_, work):
            await until(lambda: work.done.total() == 3)
            key = ObjectKey(namespace, "w0000")
            await client.patch(WIDGETS, key, {"spec": {"size": 99}})
            await until(lambda: work.done[key] == 2)
            assert await unmeasured(client, namespace) == []
            assert work.done.total() == 4, "one for each wish, none for a status"


@awaited()
async def test_conflict_is_tried_again_with_what_is_there_now(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        await client.create(WIDGETS, widget("one", namespace))
        runtime = Runtime(client, component="test")
        watch = runtime.watches.of(WIDGETS, Selection(namespace))
        tries = 0

        async def reconcile(key: ObjectKey) -> Result:
            nonlocal tries
            tries += 1
            found = watch.store.get(key)
            assert found is not None
            if found.metadata.annotations.get("mine"):
                return Result.done()
            if tries == 1:  # Somebody else is faster, between our reading and our writing.
                await client.patch(WIDGETS, key, {"spec": {"size": 5}})
            body = found.content
            body["metadata"]["annotations"] = {"mine": "yes"}
            await client.replace(WIDGETS, body)
            return Result.done()

        controller = Controller(name="rash", reconcile=reconcile, sources=[Source(watch)])
        stop = asyncio.Event()
        running = asyncio.create_task(runtime.run([controller], stop))
        key = ObjectKey(namespace, "one")
        await until(lambda: bool((f := watch.store.get(key)) and f.metadata.annotations))
        stop.set()
        await running
        kept = await client.get(WIDGETS, key)
        assert kept.model.spec.size == 5, "the other's change is not lost"
        assert tries >= 2


@awaited()
async def test_change_of_an_owned_object_calls_for_its_owner(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        owner = await client.create(WIDGETS, widget("owner", namespace))
        runtime = Runtime(client, component="test")
        owned = runtime.watches.of(CONFIG_MAPS, Selection(namespace))
        called: list[ObjectKey] = []

        async def reconcile(key: ObjectKey) -> Result:
            called.append(key)
            return Result.done()

        controller = Controller(
            name="owners", reconcile=reconcile, sources=[Source(owned, keys=owners(WIDGETS))]
        )
        stop = asyncio.Event()
        running = asyncio.create_task(runtime.run([controller], stop))
        reference = {
            "apiVersion": "test.ingot.dev/v1",
            "kind": "Widget",
            "name": "owner",
            "uid": owner.metadata.uid,
        }
        for name, references in (("of-nobody", []), ("owned", [reference])):
            body = {"metadata": {"name": name, "ownerReferences": references}, "data": {}}
            await client.create(CONFIG_MAPS, body, namespace=namespace)
        await until(lambda: called == [owner.key])
        stop.set()
        await running


@awaited()
async def test_stop_lets_what_is_under_way_end_and_begins_nothing_more(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        await make_many(client, namespace, 4)
        runtime = Runtime(client, component="test")
        watch = runtime.watches.of(WIDGETS, Selection(namespace))
        begun, go_on, ended = [], asyncio.Event(), []

        async def reconcile(key: ObjectKey) -> Result:
            begun.append(key)
            await go_on.wait()
            ended.append(key)
            return Result.done()

        controller = Controller(
            name="slow", reconcile=reconcile, sources=[Source(watch)], workers=2
        )
        stop = asyncio.Event()
        running = asyncio.create_task(runtime.run([controller], stop, grace=20))
        await until(lambda: len(begun) == 2)
        stop.set()
        await asyncio.sleep(0)
        assert not running.done()
        go_on.set()
        await running
        assert (len(begun), len(ended)) == (2, 2)


@awaited(within=90)
async def test_standby_goes_on_where_the_leader_stopped(api: KubeApi, namespace: str) -> None:
    """Two whole programs share the work of one: whoever leads does it, and both never do."""
    terms = Terms(duration=10, renew_deadline=6, retry_period=1)
    acting: set[str] = set()
    did: Counter[str] = Counter()

    async def program(name: str, client: KubeClient, stop: asyncio.Event) -> None:
        runtime = Runtime(client, component=name)
        watch = runtime.watches.of(WIDGETS, Selection(namespace))

        async def reconcile(key: ObjectKey) -> Result:
            acting.add(name)
            assert acting == {name}, "two act at once"
            try:
                found = await client.get(WIDGETS, key)
                change = {"status": {"size": found.model.spec.size}}
                await client.patch(WIDGETS, key, change, subresource="status")
                did[name] += 1
            except NotFound:
                return Result.done()
            finally:
                acting.discard(name)
            return Result.done()

        controller = Controller(
            name="work", reconcile=reconcile, sources=[Source(watch, keep=generation_changed)]
        )
        lease = runtime.leadership(ObjectKey(namespace, "leader"), identity=name, terms=terms)
        await runtime.run([controller], stop, leadership=lease)
        leads = f'leader_election_master_status{{name="{namespace}/leader"}} 0.0'
        assert leads in runtime.metrics.text().decode()

    stops = {name: asyncio.Event() for name in ("first", "second")}
    async with (
        connected(api) as one,
        connected(api) as other,
        connected(api) as user,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(program("first", one, stops["first"]))
        await user.create(WIDGETS, widget("a", namespace))
        await until(lambda: did["first"] == 1)
        group.create_task(program("second", other, stops["second"]))
        await asyncio.sleep(0.2)
        began = asyncio.get_running_loop().time()
        stops["first"].set()
        await user.create(WIDGETS, widget("b", namespace))
        await until(lambda: did["second"] >= 2)
        assert asyncio.get_running_loop().time() - began < 5, "sooner than the lease expires"
        assert await unmeasured(user, namespace) == []
        stops["second"].set()
