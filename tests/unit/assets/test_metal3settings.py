"""What the metal3 pod of the bootstrap VM is told."""

from __future__ import annotations

import json

import pytest

from ingot.assets.bootstrapnetwork import bootstrap_macs
from ingot.assets.metal3settings import metal3_settings, rendered
from ingot.metal3.pod.settings import CONSOLES, Settings
from tests.unit.assets.clusters import cluster


@pytest.mark.parametrize(
    ("switches", "words"), [(True, CONSOLES), (False, (*CONSOLES, "ipa-lldp-timeout=1"))]
)
def test_agents_listen_for_switches_where_there_may_be_some(
    *, switches: bool, words: tuple[str, ...]
) -> None:
    config = cluster()
    macs = bootstrap_macs(config, bytes)
    said = rendered(metal3_settings(config, macs, switches=switches))
    assert ("kernelParameters" in json.loads(said)) is not switches
    assert Settings.model_validate_json(said).kernel_parameters == words
