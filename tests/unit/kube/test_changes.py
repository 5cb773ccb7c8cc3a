"""Which changes count, and for whom."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.kube.changes import (
    Change,
    Filter,
    annotations_changed,
    any_of,
    every_change,
    finalizers_changed,
    generation_changed,
    itself,
    labels_changed,
    owners,
)
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from tests.unit.kube.objects import THINGS, thing

OLD = thing()


def changed_thing(metadata: dict[str, Any]) -> KubeObject[Content]:
    return thing(version=2, **metadata)


@pytest.mark.parametrize(
    ("filter_", "changed"),
    [
        (generation_changed, {"generation": 2}),
        (annotations_changed, {"annotations": {"reboot.metal3.io": ""}}),
        (labels_changed, {"labels": {"rack": "2"}}),
        (finalizers_changed, {"finalizers": ["baremetalhost.metal3.io"]}),
    ],
)
def test_filter_looks_at_its_own_part_of_an_update(
    filter_: Filter, changed: dict[str, object]
) -> None:
    assert filter_(Change(OLD, changed_thing(changed)))
    assert not filter_(Change(OLD, thing(version=2)))
    assert filter_(Change(None, OLD)), "what came counts"
    assert filter_(Change(OLD, None)), "what went counts"


def test_filters_are_joined() -> None:
    joined = any_of(generation_changed, labels_changed)
    assert joined(Change(OLD, thing(version=2, labels={"a": "b"})))
    assert not joined(Change(OLD, thing(version=2, annotations={"a": "b"})))
    assert every_change(Change(OLD, OLD))


def test_object_calls_for_itself() -> None:
    assert list(itself(OLD)) == [ObjectKey("ns", "one")]


def owner(kind: str, api_version: str, name: str, *, controller: bool = False) -> dict[str, object]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "name": name,
        "uid": "u",
        "controller": controller,
    }


def test_owners_are_those_of_the_kind_whatever_its_version() -> None:
    owned = thing(
        ownerReferences=[
            owner("Thing", "test.ingot.dev/v1alpha1", "a"),
            owner("Thing", "test.ingot.dev/v1", "b", controller=True),
            owner("Thing", "other.dev/v1", "c", controller=True),
            owner("Thong", "test.ingot.dev/v1", "d"),
        ]
    )
    assert list(owners(THINGS)(owned)) == [ObjectKey("ns", "a"), ObjectKey("ns", "b")]
    assert list(owners(THINGS, only_controller=True)(owned)) == [ObjectKey("ns", "b")]


def test_owner_of_a_kind_without_namespaces_is_called_by_its_name_alone() -> None:
    nodes = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)
    owned = thing(ownerReferences=[owner("Node", "v1", "node-1")])
    assert list(owners(nodes)(owned)) == [ObjectKey("", "node-1")]
