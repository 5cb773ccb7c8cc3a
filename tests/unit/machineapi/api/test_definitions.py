"""The definitions: as they are shipped, and as the models are."""

from __future__ import annotations

import pytest
import yaml

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.manifest import crd, rendered
from ingot.machineapi.api.kinds import DEFINITIONS
from ingot.machineapi.api.machineset import DEFINITION as SET
from ingot.machineapi.api.manifest import stored


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_what_is_shipped_is_what_the_models_say(definition: Definition) -> None:
    assert stored(definition) == rendered(definition)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_a_file_holds_the_definition_without_anchors(definition: Definition) -> None:
    text = stored(definition)
    assert yaml.safe_load(text) == crd(definition)
    assert "&id" not in text


def test_a_set_can_be_scaled() -> None:
    version = yaml.safe_load(stored(SET))["spec"]["versions"][0]
    assert version["subresources"]["scale"] == {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.labelSelector",
    }
