"""What is known of servers on their way to be Nodes: read from the API, where others keep it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from ingot.configserver.report import CONFIG_MAPS, NAMESPACE, key_of
from ingot.configserver.visits import CLOCK, Visits, visits_key
from ingot.kube.client import KubeClient, Selection
from ingot.kube.kind import Content, Kind
from ingot.node.bootstrap.absence import Known

__all__ = ["known_of", "read_known"]

HOSTS = Kind.untyped("metal3.io", "v1alpha1", "BareMetalHost", "baremetalhosts")


async def read_known(
    client: KubeClient, namespace: str, names: Collection[str]
) -> tuple[Known, ...]:
    """Return what is known of some servers.

    Args:
        client: the API.
        namespace: where their BareMetalHosts are.
        names: which.

    Raises:
        ApiError: the API does not say.
    """
    kept = await client.list(CONFIG_MAPS, Selection(NAMESPACE))
    hosts = await client.list(HOSTS, Selection(namespace))
    maps = {one.metadata.name: one.content for one in kept.objects}
    found = {one.metadata.name: one.content for one in hosts.objects}
    return tuple(known_of(name, found.get(name, {}), maps) for name in names)


def known_of(name: str, host: Mapping[str, Any], maps: Mapping[str, Content]) -> Known:
    """Return what is known of one server.

    Args:
        name: its name.
        host: its BareMetalHost.
        maps: the ConfigMaps that the config server writes, by their names.
    """
    times = host.get("status", {}).get("operationHistory", {}).get("provision", {})
    report = _report(maps.get(key_of(name).name, {}))
    clock = report.get("failed") is True and report.get("phase") == CLOCK
    return Known(
        name=name,
        visits=Visits.parse(name, maps.get(visits_key(name).name, {})),
        began=_moment(times.get("start")),
        provisioned=_moment(times.get("end")),
        clock_fails=str(report.get("message", "")) if clock else "",
        reported_at=_moment(report.get("at")),
    )


def _report(content: Content) -> dict[str, Any]:
    with suppress(ValueError, KeyError, TypeError):
        said = json.loads(content["data"]["status"])
        return said if isinstance(said, dict) else {}
    return {}


def _moment(text: object) -> datetime | None:
    with suppress(ValueError, TypeError):
        return datetime.fromisoformat(str(text))
    return None
