"""What holds for every kind: malformed objects, objects with old mistakes, objects that go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.metal3.api import annotation
from ingot.metal3.webhooks.baremetalhost import JUDGE
from ingot.metal3.webhooks.finding import Verdict
from ingot.metal3.webhooks.kinds import JUDGES
from tests.unit.metal3.webhooks.objects import (
    Json,
    bmc,
    components,
    data_image,
    host,
    provisioning,
    subscription,
)

BROKEN = host({"firmware": {"sriovEnabled": True}})
PAGE = Path(__file__).parents[4] / "docs" / "reference" / "host-admission.md"

texts = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["{}", "[]", "null", "{", "oci://", "http://[", "10.0.0.9", "[" * 3000]),
    st.text(alphabet="\ud800\udfff\0\n%@:/[]{}\"'", max_size=10),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
GOOD = [host(), subscription(), provisioning(), data_image("https://a/b"), components("https://a")]
ANNOTATIONS = [
    annotation.STATUS,
    annotation.DETACHED,
    annotation.REBOOT,
    f"{annotation.REBOOT_WITH_KEY}key",
    annotation.INSPECT,
    annotation.HARDWARE_DETAILS,
]


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything inside an object."""
    if not isinstance(value, dict):
        return [path]
    return [path, *(one for key in value for one in places(value[key], (*path, key)))]


def with_value(whole: Json, path: tuple[Any, ...], value: object) -> object:
    if not path:
        return value
    return {**whole, path[0]: with_value(whole[path[0]], path[1:], value)}


@st.composite
def malformed(draw: st.DrawFn) -> tuple[str, object]:
    """Return a good object with any value in any place."""
    whole = draw(st.sampled_from(GOOD))
    path = draw(st.sampled_from(places(whole)))
    return whole["kind"], with_value(whole, path, draw(values))


@settings(max_examples=200, deadline=None)
@given(malformed(), malformed())
def test_no_object_makes_a_rule_raise(one: tuple[str, object], two: tuple[str, object]) -> None:
    judge = JUDGES[one[0]]
    for verdict in (judge.validate_create(one[1]), judge.validate_update(two[1], one[1])):
        assert isinstance(verdict, Verdict)
        for finding in (*verdict.refusals, *verdict.warnings):
            assert finding.field
            assert len(finding.sentence) < 2000


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from(ANNOTATIONS), texts | values.map(json.dumps)),
    texts,
    texts,
    st.sampled_from([None, "disabled", "fast"]),
)
def test_no_text_in_a_host_makes_a_rule_raise(
    annotations: dict[str, str], address: str, url: str, mode: str | None
) -> None:
    spec = {
        **bmc(address),
        "image": {"url": url},
        "bootMACAddress": address,
        "rootDeviceHints": {"deviceName": url},
        "inspectionMode": mode,
    }
    for finding in JUDGE.validate_create(host(spec, annotations=annotations, name=url)).refusals:
        assert len(finding.sentence) < 2000


@pytest.mark.parametrize("name", [*ANNOTATIONS, "somebody.example.com/else"])
def test_an_annotation_of_ten_megabytes_is_refused_by_its_name_and_not_parsed(name: str) -> None:
    new = host(annotations={"small": "1", name: '{"a":' * 2_000_000})
    (refusal,) = JUDGE.validate_create(new).refusals
    assert refusal.field == f"metadata.annotations[{name}]"
    assert len(refusal.sentence) < 400


def test_many_wide_characters_below_the_limit_are_accepted() -> None:
    assert JUDGE.validate_create(host(annotations={"note": "ü" * 100_000})).accepts
    assert not JUDGE.validate_create(host(annotations={"note": "ü" * 140_000})).accepts


@pytest.mark.parametrize("raw", [None, [], "host", 7, {}, {"metadata": []}, {"spec": None}])
def test_what_is_no_object_is_refused(raw: object) -> None:
    for judge in JUDGES.values():
        assert not judge.validate_create(raw).accepts


def test_a_wrong_type_is_refused_by_its_field() -> None:
    (refusal,) = JUDGE.validate_create(host({"online": "perhaps"})).refusals
    assert refusal.field == "spec.online"
    assert "kubectl explain baremetalhost.spec.online" in refusal.remedy


def test_a_host_older_than_a_rule_can_still_be_changed_and_is_told() -> None:
    new = {**BROKEN, "metadata": {**BROKEN["metadata"], "finalizers": ["baremetalhost.metal3.io"]}}
    verdict = JUDGE.validate_update(BROKEN, new)
    assert verdict.accepts
    assert [one.field for one in verdict.warnings] == ["spec.firmware"]


def test_a_host_older_than_a_rule_cannot_break_another() -> None:
    new = {**BROKEN, "spec": {**BROKEN["spec"], "image": {"url": "file:///x", "checksum": "a"}}}
    assert [one.field for one in JUDGE.validate_update(BROKEN, new).refusals] == ["spec.image.url"]


def test_one_wrong_value_cannot_take_the_place_of_another() -> None:
    old, new = host(bmc("a://b")), host(bmc("c://d"))
    assert not JUDGE.validate_update(old, new).accepts


@pytest.mark.parametrize("good", GOOD, ids=lambda good: str(good["kind"]))
def test_an_object_that_goes_is_never_refused(good: Json) -> None:
    going = {"name": "-", "deletionTimestamp": "2026-03-01T12:30:15Z"}
    new = {**good, "metadata": going, "spec": {"anything": 1}}
    assert JUDGES[good["kind"]].validate_update(good, new) == Verdict()


def test_the_page_of_the_rules_lists_every_row_and_kind() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for row in range(1, 29):
        assert f"| {row} |" in text
    for kind in JUDGES:
        assert f"## {kind}" in text
