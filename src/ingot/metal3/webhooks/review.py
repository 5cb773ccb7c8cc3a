"""An AdmissionReview: what the API server asks, and what it is told.

A refusal carries each field as a cause, as the API server's own refusals do, so that a program can
find the field as well as a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ingot.errors import IngotError
from ingot.metal3.api.wire import GROUP
from ingot.metal3.webhooks.finding import Finding, Verdict
from ingot.metal3.webhooks.kinds import JUDGES

__all__ = ["UnreadableReview", "answer"]

VERSION: Final = "admission.k8s.io/v1"
NAMED: Final = 10
"""Refusals that one message names; more help nobody."""

WARNING_LENGTH: Final = 256
"""The API server drops what is longer, and in all keeps a few kilobytes of warnings."""
WARNINGS: Final = 12

INVALID: Final = 422
"""What the API server itself answers where a field is wrong."""


class UnreadableReview(IngotError):  # noqa: N818 - it names what was seen
    """A request is no AdmissionReview that can be answered."""


class _Kind(msgspec.Struct, frozen=True):
    kind: str
    group: str = ""


class _Request(msgspec.Struct, frozen=True, rename="camel"):
    uid: str
    kind: _Kind
    operation: str
    name: str = ""
    sub_resource: str = ""
    object: Any = None
    old_object: Any = None


class _Review(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str
    kind: str
    request: _Request


def answer(body: bytes) -> bytes:
    """Return the review that answers one.

    Raises:
        UnreadableReview: there is no request in it to answer.
    """
    try:
        review = msgspec.json.decode(body, type=_Review)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise UnreadableReview(f"this is no AdmissionReview: {error}") from error
    if (review.api_version, review.kind) != (VERSION, "AdmissionReview"):
        raise UnreadableReview(
            f"this is a {review.kind} of {review.api_version}",
            remedy=f"send an AdmissionReview of {VERSION}",
        )
    response = _response(review.request, _judged(review.request))
    return msgspec.json.encode(
        {"apiVersion": VERSION, "kind": "AdmissionReview", "response": response}
    )


def _judged(request: _Request) -> Verdict:
    judge = JUDGES.get(request.kind.kind) if request.kind.group == GROUP else None
    if judge is None or request.sub_resource:
        return Verdict()
    if request.operation == "CREATE":
        return judge.validate_create(request.object)
    if request.operation == "UPDATE":
        return judge.validate_update(request.old_object, request.object)
    return Verdict()


def _response(request: _Request, verdict: Verdict) -> Mapping[str, object]:
    response: dict[str, object] = {"uid": request.uid, "allowed": verdict.accepts}
    if verdict.warnings:
        response["warnings"] = [_cut(one.sentence) for one in verdict.warnings[:WARNINGS]]
    if not verdict.accepts:
        response["status"] = _status(request, verdict.refusals)
    return response


def _status(request: _Request, refusals: tuple[Finding, ...]) -> Mapping[str, object]:
    named = refusals[:NAMED]
    more = len(refusals) - len(named)
    message = ". ".join(one.sentence for one in named)
    return {
        "status": "Failure",
        "code": INVALID,
        "reason": "Invalid",
        "message": f"{message}{f'. And {more} more' if more else ''}",
        "details": {
            "group": GROUP,
            "kind": request.kind.kind,
            "name": request.name,
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "field": one.field,
                    "message": f"{one.what}; {one.remedy}",
                }
                for one in named
            ],
        },
    }


def _cut(text: str) -> str:
    data = text.encode()
    return (
        text
        if len(data) <= WARNING_LENGTH
        else f"{data[: WARNING_LENGTH - 3].decode(errors='ignore')}…"
    )
