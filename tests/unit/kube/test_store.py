"""The local store: what has changed, told once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingot.kube.changes import Change
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.store import Store
from tests.unit.kube.objects import thing


def told(changes: list[Change[Content]]) -> list[str]:
    return [
        ("+" if one.old is None else "-" if one.new is None else "~") + one.object.key.name
        for one in changes
    ]


def test_objects_are_found_by_name_and_by_namespace() -> None:
    store: Store[Content] = Store()
    here, there = thing("a"), thing("a", namespace="other")
    store.put(here)
    store.put(there)
    assert store.get(ObjectKey("other", "a")) is there
    assert store.within("ns") == [here]
    assert store.within("nowhere") == []
    assert len(store) == len(list(store)) == 2


def test_version_that_is_known_or_older_is_no_change() -> None:
    store: Store[Content] = Store()
    assert told(store.put(thing(version=9))) == ["+one"]
    assert store.put(thing(version=9)) == []
    assert store.put(thing(version=8)) == []
    assert told(store.put(thing(version=10))) == ["~one"], "by number, not by text"


def test_object_made_again_under_its_name_is_two_changes() -> None:
    store: Store[Content] = Store()
    store.put(thing(uid="old", version=9))
    assert told(store.put(thing(uid="new", version=12))) == ["-one", "+one"]


def test_what_is_gone_is_told_with_its_last_version() -> None:
    store: Store[Content] = Store()
    store.put(thing(version=1))
    (change,) = store.remove(thing(version=5))
    assert change.new is None
    assert change.object.metadata.resource_version == "5"
    assert store.remove(thing(version=5)) == []
    assert list(store) == []


STATES = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3))


@given(STATES, STATES)
def test_listing_becomes_the_difference(before: dict[str, int], after: dict[str, int]) -> None:
    after = {name: max(version, before.get(name, 0)) for name, version in after.items()}
    store: Store[Content] = Store()
    store.replace(thing(name, version=version) for name, version in before.items())
    changes = store.replace(thing(name, version=version) for name, version in after.items())
    assert {found.key.name: int(found.metadata.resource_version) for found in store} == after
    expected = {f"-{name}" for name in before.keys() - after.keys()}
    expected |= {f"+{name}" for name in after.keys() - before.keys()}
    expected |= {f"~{name}" for name in before.keys() & after if after[name] > before[name]}
    assert sorted(told(changes)) == sorted(expected)
