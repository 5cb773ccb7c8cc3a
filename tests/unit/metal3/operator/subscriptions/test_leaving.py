"""How a subscription leaves: never stuck."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ingot.ironic.node import NodeId
from ingot.metal3.api.bmceventsubscription import BMCEventSubscription
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.host.settings import Settings
from ingot.metal3.operator.subscriptions.leaving import Release, Remove, Wait, Ways, parting

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SETTINGS = Settings()
NODE = NodeId("node-1")
ALL_WELL = Ways(has_host=True, ironic_ready=True, node=NODE, fresh=True)
AWAY = replace(ALL_WELL, ironic_ready=False)


@pytest.mark.parametrize(
    ("identifier", "ways", "seconds", "how"),
    [
        ("7", ALL_WELL, 0, Remove(NODE)),
        ("", ALL_WELL, 0, Release()),
        ("", replace(AWAY, has_host=False), 0, Release()),
        ("7", replace(ALL_WELL, has_host=False), 0, Release("its host is gone")),
        ("7", AWAY, 60, Wait(SETTINGS.delays.ironic_not_ready)),
        ("7", AWAY, 601, Release("Ironic does not answer")),
        ("7", replace(ALL_WELL, node=None), 0, Release("Ironic does not know its host")),
        ("7", replace(ALL_WELL, node=None, fresh=False), 0, Wait(SETTINGS.delays.short)),
    ],
)
def test_a_subscription_is_removed_or_left_behind_with_a_reason(
    identifier: str, ways: Ways, seconds: float, how: Release | Wait | Remove
) -> None:
    since = NOW - timedelta(seconds=seconds)
    subject = BMCEventSubscription(metadata=Metadata(name="s", deletion_timestamp=since))
    assert parting(subject, identifier, ways, now=NOW, settings=SETTINGS) == how
