"""What `Provisioning` tells of metal3."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.metal3.api.conditions import Condition
from ingot.metal3.cluster.conditions import Rollout, conditions
from ingot.metal3.cluster.situation import Situation
from tests.unit.metal3.cluster.seen import deployment

NOW = datetime(2030, 1, 1, tzinfo=UTC)
STANDS = Situation(nodes=3, ready=3, expected=3)
HELD = Situation(bootstrap=True, nodes=3, ready=3, expected=3)
TWO = deployment(replicas=2, available=2)
NONE = deployment(available=0)


def told(
    *,
    earlier: tuple[Condition, ...] = (),
    now: datetime = NOW,
    metal3: KubeObject[Content] | None = None,
    images: KubeObject[Content] | None = TWO,
    **changes: object,
) -> tuple[Condition, ...]:
    plain: dict[str, Any] = {"wrong": "", "paused": False, "situation": STANDS, "unserved": ()}
    return conditions(
        earlier,
        metal3=Rollout.of(metal3),
        images=Rollout.of(images),
        generation=1,
        now=now,
        **{**plain, **changes},
    )


@pytest.mark.parametrize(
    ("seen", "holds", "reason"),
    [
        ({"metal3": deployment()}, "Available", "AsExpected"),
        (
            {"metal3": deployment(), "images": deployment()},
            "Available Progressing",
            "CopyingImages",
        ),
        ({"metal3": NONE}, "Progressing", "DeployingMetal3"),
        ({"metal3": NONE, "images": NONE}, "Progressing", "CopyingImages"),
        ({"metal3": None, "images": None}, "Progressing", "CopyingImages"),
        (
            {"metal3": deployment(seen=False)},
            "Available Progressing",
            "DeployingMetal3",
        ),
        (
            {"metal3": deployment(available=0, stuck="it crashes")},
            "Progressing Degraded",
            "DeploymentDoesNotProgress",
        ),
        ({"situation": HELD}, "Progressing", "BootstrapProvisions"),
        ({"wrong": "spec.x is bad; change it"}, "Degraded", "InvalidConfiguration"),
        (
            {"wrong": "spec.x is bad; change it", "metal3": deployment()},
            "Available Degraded",
            "InvalidConfiguration",
        ),
        ({"paused": True, "metal3": deployment()}, "Available", "Paused"),
    ],
)
def test_how_it_stands(seen: dict[str, Any], holds: str, reason: str) -> None:
    found = told(**seen)
    assert [one.type for one in found if one.status == "True"] == holds.split()
    assert {one.reason for one in found} == {reason}


def test_a_condition_keeps_the_time_of_its_last_change() -> None:
    first = told(metal3=NONE)
    later = told(metal3=deployment(), earlier=first, now=NOW + timedelta(minutes=1))
    since = {one.type: one.last_transition_time for one in later}
    assert since["Degraded"] == NOW
    assert since["Available"] == since["Progressing"] == NOW + timedelta(minutes=1)


def test_what_has_no_effect_is_named() -> None:
    assert "provisioningDNS" in told(metal3=deployment(), unserved=["provisioningDNS"])[0].message
