from __future__ import annotations

import pytest
import yaml

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.manifest import crd, rendered
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.kinds import DEFINITIONS, definition_of
from ingot.metal3.api.provisioning import Provisioning
from ingot.metal3.api.reference import page
from tests.unit.metal3.api.transcript import transcribed


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_a_file_holds_the_definition_without_anchors(definition: Definition) -> None:
    text = rendered(definition)
    assert yaml.safe_load(text) == crd(definition)
    assert "&id" not in text


def test_a_host_is_known_by_its_names() -> None:
    spec = crd(definition_of(BareMetalHost))["spec"]
    assert spec["names"] == {
        "kind": "BareMetalHost",
        "listKind": "BareMetalHostList",
        "plural": "baremetalhosts",
        "singular": "baremetalhost",
        "shortNames": ["bmh", "bmhost"],
    }
    assert (spec["group"], spec["scope"]) == ("metal3.io", "Namespaced")
    assert spec["conversion"] == {"strategy": "None"}


def test_objects_are_found_by_paths_with_and_without_a_namespace() -> None:
    assert definition_of(BareMetalHost).path("metal3") == (
        "/apis/metal3.io/v1alpha1/namespaces/metal3/baremetalhosts"
    )
    assert definition_of(Provisioning).path() == "/apis/metal3.io/v1alpha1/provisionings"


def test_the_reference_page_names_every_field_of_every_kind() -> None:
    sections = page().split("\n## ")[1:]
    told = {section.partition("\n")[0]: section for section in sections}
    for kind, fields in transcribed().items():
        for path in fields:
            assert f"`{path}`" in told[kind]
