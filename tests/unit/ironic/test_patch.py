"""The smallest patch, in examples and for any node."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.ironic.document import Json, JsonObject
from ingot.ironic.patch import MASK, REMOVED, Operation, Wish, difference

NODE: JsonObject = {
    "name": "metal3~a",
    "automated_clean": None,
    "disable_power_off": False,
    "instance_uuid": None,
    "driver_info": {"redfish_address": "https://10.0.0.7", "redfish_password": MASK, "n": 1},
    "instance_info": {"root_device": {"name": "s== /dev/sda"}},
    "extra": {},
}


@pytest.mark.parametrize(
    ("wanted", "operations"),
    [
        ({}, []),
        ({"name": "metal3~a"}, []),
        ({"name": "b"}, [{"op": "replace", "path": "/name", "value": "b"}]),
        (
            {"automated_clean": False},
            [{"op": "replace", "path": "/automated_clean", "value": False}],
        ),
        ({"disable_power_off": False}, []),
        (
            {"disable_power_off": 0},
            [{"op": "replace", "path": "/disable_power_off", "value": 0}],
        ),
        ({"instance_uuid": REMOVED}, []),
        ({"name": REMOVED}, [{"op": "remove", "path": "/name"}]),
        ({"driver_info": {"redfish_address": "https://10.0.0.7"}}, []),
        (
            {"driver_info": {"redfish_address": "https://10.0.0.8", "new": 1, "n": REMOVED}},
            [
                {
                    "op": "replace",
                    "path": "/driver_info/redfish_address",
                    "value": "https://10.0.0.8",
                },
                {"op": "add", "path": "/driver_info/new", "value": 1},
                {"op": "remove", "path": "/driver_info/n"},
            ],
        ),
        ({"driver_info": {"absent": REMOVED}}, []),
        (
            {"driver_info": {"n": True}},
            [{"op": "replace", "path": "/driver_info/n", "value": True}],
        ),
        ({"driver_info": {"redfish_password": "the same, or not"}}, []),
        ({"instance_info": {"root_device": {"name": "s== /dev/sda"}}}, []),
        (
            {"instance_info": {"root_device": {"name": "s== /dev/sda", "size": ">= 10"}}},
            [
                {
                    "op": "replace",
                    "path": "/instance_info/root_device",
                    "value": {"name": "s== /dev/sda", "size": ">= 10"},
                }
            ],
        ),
        (
            {"network_data": {"links": [], "gone": REMOVED}},
            [{"op": "add", "path": "/network_data", "value": {"links": []}}],
        ),
        ({"network_data": {"gone": REMOVED}}, []),
    ],
)
def test_what_differs_and_nothing_else_is_written(wanted: Wish, operations: list[object]) -> None:
    assert list(difference(NODE, wanted)) == operations


def test_a_masked_secret_is_written_when_it_has_changed() -> None:
    wanted: Wish = {"driver_info": {"redfish_password": "new"}}
    assert difference(NODE, wanted, secrets_changed=True) == (
        {"op": "replace", "path": "/driver_info/redfish_password", "value": "new"},
    )


@pytest.mark.parametrize("key", ["a/b", "a~b", "", "a.b"])
def test_a_key_that_ironic_takes_in_no_path_is_a_mistake(key: str) -> None:
    with pytest.raises(ValueError, match="cannot be named"):
        difference(NODE, {"extra": {key: 1}})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text("xy", min_size=1), inner, max_size=2)
    ),
    max_leaves=5,
)
FIELDS = st.dictionaries(
    st.sampled_from(["driver_info", "extra"]),
    st.dictionaries(st.text("pq", min_size=1, max_size=2), VALUES, max_size=4),
)
WISHES = st.dictionaries(
    st.sampled_from(["driver_info", "extra"]),
    st.dictionaries(st.text("pq", min_size=1, max_size=2), VALUES | st.just(REMOVED), max_size=4),
)


@given(seen=FIELDS, wanted=WISHES)
def test_after_the_patch_there_is_nothing_left_to_do(seen: dict[str, Json], wanted: Wish) -> None:
    after = applied(seen, difference(seen, wanted))
    assert difference(after, wanted) == ()


@given(seen=FIELDS, wanted=WISHES)
def test_what_a_wish_does_not_name_stays(seen: dict[str, Json], wanted: Wish) -> None:
    after = applied(seen, difference(seen, wanted))
    for name, value in seen.items():
        wish = wanted.get(name, {})
        assert isinstance(value, dict)
        assert isinstance(wish, dict)
        kept = after[name]
        assert isinstance(kept, dict)
        assert {key: value[key] for key in value if key not in wish} == {
            key: kept[key] for key in kept if key not in wish
        }


def applied(seen: dict[str, Json], operations: tuple[Operation, ...]) -> dict[str, Json]:
    """Apply a patch as RFC 6902 says, strictly: what is replaced or removed has to be there."""
    after = copy.deepcopy(seen)
    for operation in operations:
        *above, key = str(operation["path"]).split("/")[1:]
        place: dict[str, Json] = after
        for name in above:
            inner = place[name]
            assert isinstance(inner, dict)
            place = inner
        if operation["op"] == "add":
            place[key] = operation["value"]
        elif operation["op"] == "replace":
            assert key in place
            place[key] = operation["value"]
        else:
            del place[key]
    return after
