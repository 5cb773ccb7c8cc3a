"""What a Machine gives to its Node."""

from __future__ import annotations

from typing import Any

from ingot.kube.kind import ObjectKey
from ingot.machineapi.machines.nodekeeping import missing_in
from tests.unit.machineapi.objects import machine, node

OURS = ObjectKey("metal3", "worker-0")
ID = "baremetalhost:///metal3/host-0/u"
NAMED = {"machine.openshift.io/machine": "metal3/worker-0"}
TAINT = {"key": "gpu", "effect": "NoSchedule", "value": "yes"}


def missing(seen: Any, **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - a Node, and JSON
    return missing_in(seen, machine(spec=spec).model.spec, machine=OURS, provider_id=ID)


def test_a_new_node_gets_its_id_and_its_machines_name() -> None:
    assert missing(node()) == {
        "metadata": {"resourceVersion": "1", "annotations": NAMED},
        "spec": {"providerID": ID},
    }


def test_a_node_that_has_all_is_left_alone() -> None:
    assert missing(node(provider_id=ID, annotations=NAMED)) == {}


def test_an_id_is_never_changed() -> None:
    assert missing(node(provider_id="metal3://other", annotations=NAMED)) == {}


def test_labels_that_are_missing_are_added_and_others_are_not_named() -> None:
    seen = node(provider_id=ID, annotations=NAMED, labels={"a": "1", "own": "x"})
    assert missing(seen, metadata={"labels": {"a": "1", "b": "2"}}) == {
        "metadata": {"resourceVersion": "1", "labels": {"b": "2"}}
    }


def test_taints_are_added_to_those_that_are_there() -> None:
    there = {"key": "x", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
    seen = node(provider_id=ID, annotations=NAMED, spec={"taints": [there]})
    assert missing(seen, taints=[TAINT])["spec"] == {"taints": [there, TAINT]}


def test_a_taint_that_is_there_is_not_added_again() -> None:
    seen = node(provider_id=ID, annotations=NAMED, spec={"taints": [TAINT]})
    assert missing(seen, taints=[TAINT]) == {}
