"""BMCEventSubscriptions, through a real Ironic, on a BMC that speaks Redfish."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ingot.ironic.client import Ironic
from ingot.ironic.patch import Operation
from ingot.metal3.api import finalizer
from ingot.metal3.host.settings import DeletionLimits, Settings
from ingot.metal3.operator.kinds import EVENT_SUBSCRIPTION, HOST, SECRET
from ingot.metal3.operator.subscriptions.room import SubscriptionRoom
from tests.integration.ironic.service import ADDRESS, unpacked_root
from tests.integration.kube.widgets import awaited, until
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.operator.rooms_site import (
    RoomsSite,
    Servers,
    metal3_api,
    servers,
    site,
)

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

HASTY = replace(Settings(), deletion=replace(DeletionLimits(), deleting=-1.0))
"""Gives up at the first failure."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with metal3_api(tmp_path_factory.mktemp("kube")) as started:
        yield started


@pytest.fixture(scope="module")
def hardware(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    root = unpacked_root(tmp_path_factory.mktemp("metal3"))
    with servers(root, tmp_path_factory.mktemp("ironic")) as started:
        yield started
    shutil.rmtree(root)


async def on_bmc(hardware: Servers, destination: str) -> list[dict[str, Any]]:
    """Return the subscriptions to a destination that the BMC has."""

    def asked() -> dict[str, Any]:
        with urllib.request.urlopen(f"{hardware.bmc}/subscriptions", timeout=30) as answer:  # noqa: S310 - always http
            found: dict[str, Any] = json.loads(answer.read())
        return found

    found = await asyncio.to_thread(asked)
    return [one for one in found.values() if one["Destination"] == destination]


async def registered(at: RoomsSite, hardware: Servers, name: str) -> str:
    """Have a host that Ironic knows; return its node."""
    node = await hardware.node(at.parts.ironic, f"{at.namespace}~{name}")
    await until(lambda: at.parts.census.known(node.uuid, "") is not None)
    await at.host(name, node=node.uuid)
    return node.uuid


def subscribed(one: dict[str, Any]) -> bool:
    return bool(one.get("status", {}).get("subscriptionID"))


@awaited()
async def test_a_bmc_sends_its_events_until_the_subscription_is_deleted(
    api: KubeApi, hardware: Servers
) -> None:
    to = "https://events.test/first"
    async with site(api, SubscriptionRoom, access=hardware.ironic.access) as (at, _):
        reference = {"name": "headers", "namespace": at.namespace}
        await at.create(
            EVENT_SUBSCRIPTION,
            "first",
            hostName="one",
            destination=to,
            context="rack 7",
            httpHeadersRef=reference,
        )
        missing = await at.became(EVENT_SUBSCRIPTION, "first", lambda one: "error" in str(one))
        assert "there is no BareMetalHost" in missing["status"]["error"]
        await registered(at, hardware, "one")
        await at.became(
            EVENT_SUBSCRIPTION,
            "first",
            lambda one: "is not there: create it" in one["status"]["error"],
        )
        await at.secret("headers", Authorization="Bearer hush")
        # A Secret that nobody has named before is not watched: its label makes it so.
        label = {"metadata": {"labels": {"environment.metal3.io": "baremetal"}}}
        await at.client.patch(SECRET, at.key("headers"), label)
        made = await at.became(EVENT_SUBSCRIPTION, "first", subscribed)
        assert "error" not in made["status"]
        assert made["metadata"]["finalizers"] == [finalizer.EVENT_SUBSCRIPTION]
        [wish] = await on_bmc(hardware, to)
        assert wish["Context"] == "rack 7"
        assert wish["HttpHeaders"] == [{"Authorization": "Bearer hush"}]

        await at.client.delete(EVENT_SUBSCRIPTION, at.key("first"))
        await at.is_gone(EVENT_SUBSCRIPTION, "first")
        assert await on_bmc(hardware, to) == []
        assert [reason for reason, _ in await at.events("BMCEventSubscription")] == ["Subscribed"]


@awaited()
async def test_a_refusal_is_told_without_the_headers(
    api: KubeApi, hardware: Servers, caplog: pytest.LogCaptureFixture
) -> None:
    async with site(api, SubscriptionRoom, access=hardware.ironic.access) as (at, _):
        await at.secret("headers", Authorization="Bearer hush")
        await registered(at, hardware, "two")
        await at.create(
            EVENT_SUBSCRIPTION,
            "refused",
            hostName="two",
            destination="https://refuse.test/x",
            httpHeadersRef={"name": "headers", "namespace": at.namespace},
        )
        told = await at.became(
            EVENT_SUBSCRIPTION, "refused", lambda one: "it is not reached" in str(one)
        )
        assert "hush" not in str(told)
        assert "hush" not in caplog.text
        await at.client.delete(EVENT_SUBSCRIPTION, at.key("refused"))
        await at.is_gone(EVENT_SUBSCRIPTION, "refused")


@awaited()
async def test_one_that_the_bmc_has_lost_goes_without_a_word(
    api: KubeApi, hardware: Servers
) -> None:
    to = "https://events.test/lost"
    async with site(api, SubscriptionRoom, access=hardware.ironic.access) as (at, _):
        node = await registered(at, hardware, "three")
        await at.create(EVENT_SUBSCRIPTION, "lost", hostName="three", destination=to)
        made = await at.became(EVENT_SUBSCRIPTION, "lost", subscribed)
        identifier = made["status"]["subscriptionID"]
        await at.parts.ironic.bmc.unsubscribe(node, identifier)  # type: ignore[arg-type]
        await at.client.delete(EVENT_SUBSCRIPTION, at.key("lost"))
        await at.is_gone(EVENT_SUBSCRIPTION, "lost")
        assert "SubscriptionLeftBehind" not in str(await at.events("BMCEventSubscription"))


@awaited()
async def test_one_whose_host_is_gone_goes_and_says_what_it_leaves(
    api: KubeApi, hardware: Servers
) -> None:
    to = "https://events.test/left"
    async with site(api, SubscriptionRoom, access=hardware.ironic.access) as (at, _):
        await registered(at, hardware, "four")
        await at.create(EVENT_SUBSCRIPTION, "left", hostName="four", destination=to)
        await at.became(EVENT_SUBSCRIPTION, "left", subscribed)
        await at.client.delete(HOST, at.key("four"))
        await at.is_gone(HOST, "four")
        await at.client.delete(EVENT_SUBSCRIPTION, at.key("left"))
        await at.is_gone(EVENT_SUBSCRIPTION, "left")
        [(_, message)] = [
            one
            for one in await at.events("BMCEventSubscription")
            if one[0] == "SubscriptionLeftBehind"
        ]
        assert "its host is gone" in message
        assert len(await on_bmc(hardware, to)) == 1


@awaited(within=120)
async def test_one_whose_bmc_is_gone_waits_and_then_goes(api: KubeApi, hardware: Servers) -> None:
    to = "https://events.test/dead"
    async with site(api, SubscriptionRoom, access=hardware.ironic.access, settings=HASTY) as (
        at,
        _,
    ):
        node = await registered(at, hardware, "five")
        await at.create(EVENT_SUBSCRIPTION, "dead", hostName="five", destination=to)
        await at.became(EVENT_SUBSCRIPTION, "dead", subscribed)
        await moved_away(at.parts.ironic, node)
        await at.client.delete(EVENT_SUBSCRIPTION, at.key("dead"))
        await at.is_gone(EVENT_SUBSCRIPTION, "dead")
        assert "SubscriptionLeftBehind" in str(await at.events("BMCEventSubscription"))


@awaited(within=120)
async def test_a_bmc_that_may_come_back_is_waited_for(api: KubeApi, hardware: Servers) -> None:
    to = "https://events.test/away"
    async with site(api, SubscriptionRoom, access=hardware.ironic.access) as (at, _):
        node = await registered(at, hardware, "six")
        await at.create(EVENT_SUBSCRIPTION, "away", hostName="six", destination=to)
        await at.became(EVENT_SUBSCRIPTION, "away", subscribed)
        await moved_away(at.parts.ironic, node)
        await at.client.delete(EVENT_SUBSCRIPTION, at.key("away"))
        told = await at.became(
            EVENT_SUBSCRIPTION, "away", lambda one: "has not ended it" in str(one)
        )
        assert told["status"]["subscriptionID"]
        assert told["metadata"]["finalizers"] == [finalizer.EVENT_SUBSCRIPTION]


async def moved_away(ironic: Ironic, node: str) -> None:
    """Let Ironic look for the BMC where nobody is."""
    nowhere: Operation = {
        "op": "replace",
        "path": "/driver_info/redfish_address",
        "value": f"http://{ADDRESS}:1",
    }
    await ironic.nodes.patch(node, [nowhere])  # type: ignore[arg-type]
