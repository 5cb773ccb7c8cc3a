"""What the API server asks, and what it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.metal3.webhooks.review import UnreadableReview, answer
from tests.unit.metal3.webhooks.objects import Json, host


def asked(**request: Any) -> Json:  # noqa: ANN401 - any value is tried
    """Return what is answered to a review with this request."""
    whole = {
        "uid": "7",
        "kind": {"group": "metal3.io", "version": "v1alpha1", "kind": "BareMetalHost"},
        "operation": "CREATE",
        "object": host(),
        "oldObject": None,
        **request,
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": whole}
    told: Json = json.loads(answer(json.dumps(review).encode()))
    assert (told["apiVersion"], told["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    response: Json = told["response"]
    return response


def test_a_good_object_is_allowed_under_its_uid() -> None:
    assert asked() == {"uid": "7", "allowed": True}


def test_a_refusal_has_each_field_in_its_message_and_as_a_cause() -> None:
    bad = host({"firmware": {"sriovEnabled": True}, "image": {"url": "https://a/b"}})
    told = asked(object=bad)
    assert told["allowed"] is False
    assert told["status"]["code"] == 422
    fields = [cause["field"] for cause in told["status"]["details"]["causes"]]
    assert fields == ["spec.firmware", "spec.image.checksum"]
    assert all(field in told["status"]["message"] for field in fields)


def test_a_message_names_ten_refusals_and_counts_the_rest() -> None:
    told = asked(object=host({"networkInterfaces": [{} for _ in range(1000)]}))
    assert len(told["status"]["details"]["causes"]) == 10
    assert told["status"]["message"].endswith("And 990 more")
    assert len(told["status"]["message"]) < 2000


def test_warnings_are_as_short_as_the_api_server_takes_them() -> None:
    detached = {"baremetalhost.metal3.io/detached": "{" + "ü" * 1000}
    told = asked(object=host(annotations=detached))
    assert told["allowed"] is True
    assert all(len(text.encode()) <= 256 for text in told["warnings"])


def test_an_update_is_judged_by_what_was_there() -> None:
    bad = host({"firmware": {"sriovEnabled": True}})
    assert asked(operation="UPDATE", object=bad, oldObject=bad)["allowed"] is True
    assert asked(operation="UPDATE", object=bad, oldObject=host())["allowed"] is False


@pytest.mark.parametrize(
    "request_",
    [
        {"operation": "DELETE", "object": None},
        {"subResource": "status", "object": {}},
        {"kind": {"group": "metal3.io", "kind": "HardwareData"}, "object": {}},
        {"kind": {"group": "other", "kind": "BareMetalHost"}, "object": {}},
    ],
)
def test_what_no_rule_is_for_is_allowed(request_: Json) -> None:
    assert asked(**request_) == {"uid": "7", "allowed": True}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[1]",
        b"\xff",
        b"[" * 100_000,
        b'{"apiVersion":"v1","kind":"AdmissionReview","request":{}}',
        b'{"apiVersion":"v1","kind":"Pod","request":{"uid":"1","kind":{"kind":"a"},"operation":"x"}}',
    ],
)
def test_what_is_no_review_is_told_so(body: bytes) -> None:
    with pytest.raises(UnreadableReview):
        answer(body)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(body: bytes) -> None:
    with pytest.raises(UnreadableReview):
        answer(body)
