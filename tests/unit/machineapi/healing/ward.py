"""Machines that are being healed, as tests describe them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ingot.kube.kind import ObjectKey
from ingot.machineapi import annotation
from ingot.machineapi.healing.course import OUT_OF_SERVICE, Case
from ingot.machineapi.healing.hold import HOLD, Hold
from ingot.machineapi.healing.record import Healing, Phase
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeCondition, NodeSeen

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MACHINE = ObjectKey("metal3", "workers-abc")
HOST = ObjectKey("metal3", "worker-0")
NAME = "worker-0"
TIMEOUT = timedelta(minutes=10)

HELD = NOW - timedelta(seconds=50)
"""Since when a host is held off, unless told."""

CONTROL_PLANE = {annotation.ROLE: "master"}


def ago(**parts: float) -> datetime:
    return NOW - timedelta(**parts)


def machine(**told: Any) -> MachineSeen:  # noqa: ANN401 - any of its facts
    facts: dict[str, Any] = {
        "key": MACHINE,
        "uid": "1",
        "created": ago(days=1),
        "host": HOST,
        "node": NAME,
        "owned": True,
    }
    return MachineSeen(**{**facts, **told})


def host(
    *,
    held: bool = False,
    on: bool = True,
    since: datetime = HELD,
    **told: Any,  # noqa: ANN401 - any of its facts
) -> HostSeen:
    facts: dict[str, Any] = {
        "key": HOST,
        "consumer": MACHINE,
        "free": False,
        "state": "provisioned",
        "powered_on": on,
        "provisioned_at": ago(hours=5),
        "wanted": True,
        "annotations": {HOLD: Hold(MACHINE, since).text()} if held else {},
    }
    return HostSeen(**{**facts, **told})


def node(
    ready: str = "Unknown",
    *,
    since: datetime | None = None,
    tainted: bool = False,
    boot: str = "first",
) -> NodeSeen:
    return NodeSeen(
        name=NAME,
        conditions={"Ready": NodeCondition(ready, since or ago(minutes=10))},
        taints=frozenset({OUT_OF_SERVICE}) if tainted else frozenset(),
        boot=boot,
    )


def healing(phase: Phase = Phase.FENCING, **told: Any) -> Healing:  # noqa: ANN401 - any of its facts
    begun = Healing.fresh("workers", "it does not answer", boot="first", now=ago(minutes=1))
    return replace(begun, phase=phase, **told)


def case(phase: Phase = Phase.FENCING, **told: Any) -> Case:  # noqa: ANN401 - any of its facts
    facts: dict[str, Any] = {
        "machine": machine(),
        "host": host(),
        "node": node(),
        "healing": healing(phase),
        "sick": True,
        "retry_limit": 1,
        "timeout": TIMEOUT,
        "now": NOW,
    }
    return Case(**{**facts, **told})
