"""Paths of kinds, and objects that are read when asked for."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from ingot.kube.kind import Kind, ObjectKey, Unreadable
from ingot.kube.object import KubeObject
from tests.unit.kube.objects import THINGS, thing

NODES = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)
SECRETS = Kind.untyped("", "v1", "Secret", "secrets")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (THINGS.path(), "/apis/test.ingot.dev/v1/things"),
        (THINGS.path("ns"), "/apis/test.ingot.dev/v1/namespaces/ns/things"),
        (THINGS.path("ns", "a"), "/apis/test.ingot.dev/v1/namespaces/ns/things/a"),
        (
            THINGS.path("ns", "a", "status"),
            "/apis/test.ingot.dev/v1/namespaces/ns/things/a/status",
        ),
        (SECRETS.path("ns", "a"), "/api/v1/namespaces/ns/secrets/a"),
        (NODES.path("", "a"), "/api/v1/nodes/a"),
        (NODES.path("ns", "a"), "/api/v1/nodes/a"),
    ],
)
def test_path_is_that_of_the_api(path: str, expected: str) -> None:
    assert path == expected


class Spec(BaseModel):
    size: int


class Thing(BaseModel):
    spec: Spec


TYPED = Kind.of_model(Thing, group="test.ingot.dev", version="v1", plural="things")


def test_typed_kind_reads_its_model() -> None:
    found = KubeObject(TYPED, b'{"metadata":{"name":"a"},"spec":{"size":3}}')
    assert found.model.spec.size == 3
    assert str(TYPED) == "things.test.ingot.dev"


def test_object_is_known_before_it_is_read() -> None:
    broken = KubeObject(TYPED, b'{"metadata":{"name":"a","namespace":"ns"},"spec":{"size":"x"}}')
    assert broken.key == ObjectKey("ns", "a")
    with pytest.raises(Unreadable, match=r"Thing.*spec\.size"):
        _ = broken.model


def test_metadata_is_read_and_what_is_not_used_passed_over() -> None:
    found = thing(
        labels={"a": "b"},
        finalizers=["f"],
        deletionTimestamp="2026-01-01T00:00:00Z",
        managedFields=[{"manager": "x"}],
    )
    assert found.metadata.labels == {"a": "b"}
    assert found.metadata.finalizers == ("f",)
    assert found.metadata.is_going
    assert not thing().metadata.is_going
    assert "managedFields" in found.content["metadata"], "what is written back is whole"


def test_content_is_the_callers_own() -> None:
    found = thing()
    found.content["spec"]["changed"] = True
    assert found.content["spec"] == {}


def test_key_is_written_as_people_write_it() -> None:
    assert str(ObjectKey("ns", "a")) == "ns/a"
    assert str(ObjectKey("", "a")) == "a"
