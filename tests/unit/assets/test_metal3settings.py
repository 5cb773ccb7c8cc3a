"""What the metal3 pod of the bootstrap VM is told."""

from __future__ import annotations

import json

import pytest

from ingot.assets.bootstrapnetwork import bootstrap_macs
from ingot.assets.metal3settings import metal3_settings, rendered
from ingot.metal3.pod.settings import CONSOLES, Settings
from tests.unit.assets.clusters import cluster


@pytest.mark.parametrize(
    ("lab", "words"), [(False, CONSOLES), (True, (*CONSOLES, "ipa-lldp-timeout=1"))]
)
def test_agents_listen_for_switches_where_there_may_be_some(
    *, lab: bool, words: tuple[str, ...]
) -> None:
    said = said_to_metal3(lab=lab)
    assert ("kernelParameters" in json.loads(said)) is lab
    assert Settings.model_validate_json(said).kernel_parameters == words


def test_a_boot_is_lost_sooner_where_no_memory_is_tested() -> None:
    assert "operator" not in json.loads(said_to_metal3(lab=False))
    assert json.loads(said_to_metal3(lab=True))["operator"] == {"INGOT_BOOT_LIMITS": "dhcp=120"}


def said_to_metal3(*, lab: bool) -> bytes:
    config = cluster()
    return rendered(metal3_settings(config, bootstrap_macs(config, bytes), lab=lab))
