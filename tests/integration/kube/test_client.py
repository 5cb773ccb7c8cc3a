"""The client against a real API server."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from ingot.kube.access import NoAccess, from_kubeconfig, from_service_account
from ingot.kube.client import KubeClient, Patch, Propagation, Selection
from ingot.kube.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    Overdue,
    Unauthorized,
    Unavailable,
)
from ingot.kube.kind import ObjectKey
from ingot.kube.stream import EventType
from tests.integration.kube.widgets import (
    CONFIG_MAPS,
    WIDGETS,
    awaited,
    connected,
    in_thread,
    widget,
)
from tests.integration.kubeapi import (
    ADMIN_TOKEN,
    NOBODY_TOKEN,
    KubeApi,
    free_port,
    make_certificate,
)


@awaited()
async def test_object_is_created_read_changed_and_deleted(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        made = await client.create(WIDGETS, widget("one", namespace, colour="red"))
        assert made.model.spec.colour == "red"
        assert made.metadata.generation == 1

        body = made.content
        body["spec"]["size"] = 7
        replaced = await client.replace(WIDGETS, body)
        assert (await client.get(WIDGETS, key)).model.spec.size == 7
        assert replaced.is_newer_than(made)
        assert replaced.metadata.generation == 2

        await client.delete(WIDGETS, key)
        with pytest.raises(NotFound):
            await client.get(WIDGETS, key)


@awaited()
async def test_patch_is_a_merge_a_json_patch_or_an_apply(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        applied = await client.patch(WIDGETS, key, widget("one", namespace), how=Patch.APPLY)
        assert applied.metadata.generation == 1, "apply creates what is not there"

        merged = await client.patch(WIDGETS, key, {"spec": {"colour": "blue"}})
        assert (merged.model.spec.size, merged.model.spec.colour) == (1, "blue")

        step = {"op": "replace", "path": "/spec/size", "value": 3}
        assert (await client.patch(WIDGETS, key, [step], how=Patch.JSON)).model.spec.size == 3
        wrong = {"op": "test", "path": "/spec/size", "value": 99}
        with pytest.raises(Invalid):
            await client.patch(WIDGETS, key, [wrong, step], how=Patch.JSON)


@awaited()
async def test_apply_conflicts_over_a_field_of_another_until_forced(
    api: KubeApi, namespace: str
) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api, field_manager="first") as first:
        await first.patch(WIDGETS, key, widget("one", namespace, size=1), how=Patch.APPLY)
    async with connected(api, field_manager="second") as second:
        wish = widget("one", namespace, size=2)
        with pytest.raises(Conflict, match="first"):
            await second.patch(WIDGETS, key, wish, how=Patch.APPLY)
        forced = await second.patch(WIDGETS, key, wish, how=Patch.APPLY, force=True)
        assert forced.model.spec.size == 2


@awaited()
async def test_status_is_written_apart_from_the_rest(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        body = widget("one", namespace) | {"status": {"seen": 1}}
        made = await client.create(WIDGETS, body)
        assert made.model.status == {}, "a status cannot be created"

        both = {"status": {"seen": 2}, "spec": {"size": 9}}
        patched = await client.patch(WIDGETS, key, both, subresource="status")
        assert (patched.model.status, patched.model.spec.size) == ({"seen": 2}, 1)
        assert patched.metadata.generation == 1, "a status is no wish"

        body = patched.content
        body["status"] = {"seen": 3}
        replaced = await client.replace(WIDGETS, body, subresource="status")
        assert replaced.model.status == {"seen": 3}
        with pytest.raises(Conflict):
            await client.replace(WIDGETS, body, subresource="status")


@awaited()
async def test_refusals_have_classes_and_name_the_field(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        made = await client.create(WIDGETS, widget("one", namespace))
        with pytest.raises(AlreadyExists):
            await client.create(WIDGETS, widget("one", namespace))
        with pytest.raises(Invalid) as invalid:
            await client.create(WIDGETS, widget("two", namespace, size=0, colour="mauve"))
        assert {cause.field for cause in invalid.value.causes} == {"spec.size", "spec.colour"}
        assert "mauve" in str(invalid.value)
        stale = made.content
        await client.patch(WIDGETS, key, {"spec": {"size": 2}})
        with pytest.raises(Conflict) as conflict:
            await client.replace(WIDGETS, stale)
        assert conflict.value.remedy
    async with connected(api, token=NOBODY_TOKEN) as nobody:
        with pytest.raises(Forbidden, match="nobody"):
            await nobody.list(WIDGETS, Selection(namespace))
    async with connected(api, token="no such token") as unknown:
        with pytest.raises(Unauthorized):
            await unknown.list(WIDGETS, Selection(namespace))


@awaited()
async def test_delete_has_preconditions(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        made = await client.create(WIDGETS, widget("one", namespace))
        changed = await client.patch(WIDGETS, key, {"spec": {"size": 2}})
        with pytest.raises(Conflict):
            await client.delete(WIDGETS, key, uid="another")
        with pytest.raises(Conflict):
            await client.delete(WIDGETS, key, resource_version=made.metadata.resource_version)
        await client.delete(
            WIDGETS,
            key,
            uid=changed.metadata.uid,
            resource_version=changed.metadata.resource_version,
        )


@awaited()
async def test_foreground_deletion_leaves_the_object_until_its_dependents_are_gone(
    api: KubeApi, namespace: str
) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        await client.create(WIDGETS, widget("one", namespace))
        await client.delete(WIDGETS, key, propagation=Propagation.FOREGROUND)
        going = await client.get(WIDGETS, key)
        assert going.metadata.is_going
        assert going.metadata.finalizers == ("foregroundDeletion",)


@awaited()
async def test_listing_comes_in_pages_and_is_selected(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        for number in range(7):
            body = widget(f"w{number}", namespace)
            body["metadata"]["labels"] = {"odd": str(number % 2)}
            await client.create(WIDGETS, body)
        page = await client.list(WIDGETS, Selection(namespace), page=3)
        assert [found.key.name for found in page.objects] == [f"w{n}" for n in range(7)]
        odd = await client.list(WIDGETS, Selection(namespace, labels="odd=1"))
        assert len(odd.objects) == 3
        one = await client.list(WIDGETS, Selection(namespace, fields="metadata.name=w4"))
        assert [found.key for found in one.objects] == [ObjectKey(namespace, "w4")]


@awaited()
async def test_watch_tells_what_happened_after_a_version_and_ends_in_time(
    api: KubeApi, namespace: str
) -> None:
    key = ObjectKey(namespace, "one")
    async with connected(api) as client:
        before = await client.list(WIDGETS, Selection(namespace))
        await client.create(WIDGETS, widget("one", namespace))
        await client.patch(WIDGETS, key, {"spec": {"size": 2}})
        await client.delete(WIDGETS, key)
        events = client.watch(
            WIDGETS,
            Selection(namespace),
            resource_version=before.resource_version,
            seconds=1,
            silence=30,
        )
        seen = [event async for event in events]
    told = [event.type for event in seen if event.type is not EventType.BOOKMARK]
    assert told == [EventType.ADDED, EventType.MODIFIED, EventType.DELETED]
    assert seen[1].object.model.spec.size == 2


@awaited()
async def test_watch_from_a_forgotten_version_is_gone(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        before = await client.list(WIDGETS, Selection(namespace))
        for size in range(1, 4):
            await client.patch(
                WIDGETS,
                ObjectKey(namespace, "one"),
                widget("one", namespace, size=size),
                how=Patch.APPLY,
            )
        await in_thread(api.compact)
        await in_thread(api.kill_api)
        await in_thread(api.start_api)

        async def follow() -> None:
            while True:
                with suppress(Unavailable):  # Its cache is filled shortly after its start.
                    async for _ in client.watch(
                        WIDGETS,
                        Selection(namespace),
                        resource_version=before.resource_version,
                        seconds=5,
                        silence=30,
                    ):
                        pass
                await asyncio.sleep(0.1)

        with pytest.raises(Gone):
            await follow()


@awaited()
async def test_silent_server_is_unavailable_after_the_deadline(
    api: KubeApi, namespace: str
) -> None:
    async with connected(api, deadline=0.5) as client:
        await client.list(WIDGETS, Selection(namespace))
        api.pause_api()
        try:
            with pytest.raises(Overdue):
                await client.list(WIDGETS, Selection(namespace))
        finally:
            api.resume_api()


@awaited()
async def test_watch_of_a_server_that_fell_silent_ends(api: KubeApi, namespace: str) -> None:
    async with connected(api) as client:
        page = await client.list(WIDGETS, Selection(namespace))
        await client.create(WIDGETS, widget("one", namespace))
        events = client.watch(
            WIDGETS,
            Selection(namespace),
            resource_version=page.resource_version,
            seconds=60,
            silence=0.5,
        )
        assert (await anext(events)).type is EventType.ADDED
        api.pause_api()
        try:
            with pytest.raises(Overdue):
                await anext(events)
        finally:
            api.resume_api()


@awaited()
async def test_nobody_listening_is_unavailable(api: KubeApi) -> None:
    text = api.kubeconfig().read_text(encoding="utf-8").replace(str(api.port), str(free_port()))
    elsewhere = api.folder / "elsewhere"
    elsewhere.write_text(text, encoding="utf-8")
    async with KubeClient(from_kubeconfig(elsewhere)) as client:
        with pytest.raises(Unavailable) as refused:
            await client.list(WIDGETS)
    assert refused.value.code == 0


@awaited()
async def test_only_so_many_requests_are_under_way_at_once(api: KubeApi, namespace: str) -> None:
    async with connected(api, at_once=1, deadline=0.5) as client:
        api.pause_api()
        try:
            first = asyncio.create_task(client.list(WIDGETS, Selection(namespace)))
            await asyncio.sleep(0.1)
            urgent = client.apart(deadline=5)
            asked = asyncio.create_task(urgent.list(WIDGETS, Selection(namespace)))
            second = asyncio.create_task(client.list(WIDGETS, Selection(namespace)))
            outcome = await asyncio.gather(first, second, return_exceptions=True)
        finally:
            api.resume_api()
        assert [type(one) for one in outcome] == [Overdue, Overdue]
        assert (await asked).objects == []


@awaited()
async def test_service_account_is_used_and_its_token_read_again(
    api: KubeApi, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setitem(os.environ, "KUBERNETES_SERVICE_PORT", str(api.port))
    (tmp_path / "ca.crt").write_bytes(api.ca.read_bytes())
    (tmp_path / "namespace").write_text(namespace, encoding="utf-8")
    (tmp_path / "token").write_text("expired", encoding="utf-8")
    async with KubeClient(from_service_account(tmp_path)) as client:
        with pytest.raises(Unauthorized):
            await client.list(CONFIG_MAPS, Selection(namespace))
        (tmp_path / "token").write_text(ADMIN_TOKEN, encoding="utf-8")
        assert (await client.list(CONFIG_MAPS, Selection(namespace))).resource_version


@awaited()
async def test_server_with_another_certificate_is_not_talked_to(
    api: KubeApi, tmp_path: Path
) -> None:
    make_certificate(tmp_path)
    text = api.kubeconfig().read_text(encoding="utf-8")
    foreign = tmp_path / "kubeconfig"
    foreign.write_text(text.replace(str(api.ca), str(tmp_path / "api.crt")), encoding="utf-8")
    async with KubeClient(from_kubeconfig(foreign)) as client:
        with pytest.raises(Unavailable, match=r"(?i)certificate"):
            await client.list(WIDGETS)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "a: [",
        "clusters: 5",
        "current-context: none\nclusters: []\ncontexts: []\n",
        "clusters: [{name: a, cluster: {server: 5}}]\ncontexts: []\n",
    ],
)
def test_unusable_kubeconfig_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(NoAccess, match=str(path)) as refused:
        from_kubeconfig(path)
    assert refused.value.remedy


def test_missing_kubeconfig_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoAccess, match="nowhere"):
        from_kubeconfig(tmp_path / "nowhere")
