"""Events as a person finds them in the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from ingot.kube.client import KubeClient, Selection
from ingot.kube.digest import BURST, Severity
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.metrics import Metrics
from ingot.kube.recording import EVENTS, Recorder
from tests.integration.kube.widgets import WIDGETS, awaited, connected, in_thread, widget
from tests.integration.kubeapi import KubeApi


@asynccontextmanager
async def recording(client: KubeClient) -> AsyncIterator[Recorder]:
    recorder = Recorder(client, Metrics(), component="test-controller")
    task = asyncio.create_task(recorder.run())
    try:
        yield recorder
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def events(client: KubeClient, namespace: str) -> list[Content]:
    page = await client.list(EVENTS, Selection(namespace))
    return [found.content for found in page.objects]


@awaited()
async def test_repeats_are_counted_in_one_event(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        subject = await client.create(WIDGETS, widget("one", namespace))
        async with recording(client) as recorder:
            recorder.record(subject, "PowerOn", "Host powered on")
            await recorder.flush(within=10)
            for _ in range(4):
                recorder.record(subject, "PowerOn", "Host powered on")
            recorder.record(subject, "PowerError", "BMC says no", severity=Severity.WARNING)
            await recorder.flush(within=10)
        found = {event["reason"]: event for event in await events(client, namespace)}
    assert set(found) == {"PowerOn", "PowerError"}
    assert found["PowerOn"]["count"] == 5
    assert found["PowerOn"]["type"] == "Normal"
    assert found["PowerError"]["type"] == "Warning"
    assert found["PowerError"]["message"] == "BMC says no"
    assert found["PowerError"]["source"] == {"component": "test-controller"}
    assert found["PowerError"]["involvedObject"] == {
        "apiVersion": "test.ingot.dev/v1",
        "kind": "Widget",
        "namespace": namespace,
        "name": "one",
        "uid": subject.metadata.uid,
    }


@awaited()
async def test_flood_is_cut_off_and_others_are_not_affected(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        loud = await client.create(WIDGETS, widget("loud", namespace))
        quiet = await client.create(WIDGETS, widget("quiet", namespace))
        async with recording(client) as recorder:
            for number in range(3 * BURST):
                recorder.record(loud, "Noise", f"number {number}")
            recorder.record(quiet, "Word", "one")
            await recorder.flush(within=20)
        names = [event["involvedObject"]["name"] for event in await events(client, namespace)]
    assert names.count("loud") == BURST
    assert names.count("quiet") == 1


@awaited(within=90)
async def test_events_wait_for_a_server_that_is_away_and_recording_does_not(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        subject = await client.create(WIDGETS, widget("one", namespace))
        async with recording(client) as recorder:
            await in_thread(api.kill_api)
            began = asyncio.get_running_loop().time()
            recorder.record(subject, "Lonely", "nobody listens")
            assert asyncio.get_running_loop().time() - began < 0.1
            await asyncio.sleep(0.2)
            await in_thread(api.start_api)
            await recorder.flush(within=60)
        assert [event["reason"] for event in await events(client, namespace)] == ["Lonely"]


@awaited()
async def test_event_that_was_deleted_is_written_again_with_its_count(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api) as client:
        subject = await client.create(WIDGETS, widget("one", namespace))
        async with recording(client) as recorder:
            recorder.record(subject, "Again", "and again")
            await recorder.flush(within=10)
            (event,) = await events(client, namespace)
            await client.delete(EVENTS, ObjectKey(namespace, event["metadata"]["name"]))
            recorder.record(subject, "Again", "and again")
            await recorder.flush(within=10)
        (event,) = await events(client, namespace)
    assert event["count"] == 2
