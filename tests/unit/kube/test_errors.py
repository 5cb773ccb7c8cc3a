"""Answers of the server as errors."""

from __future__ import annotations

import json

import pytest

from ingot.kube.errors import (
    AlreadyExists,
    ApiError,
    Cause,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    Unauthorized,
    Unavailable,
    error_of,
)


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (401, "Unauthorized", Unauthorized),
        (403, "Forbidden", Forbidden),
        (404, "NotFound", NotFound),
        (409, "AlreadyExists", AlreadyExists),
        (409, "Conflict", Conflict),
        (410, "Expired", Gone),
        (410, "Gone", Gone),
        (400, "BadRequest", Invalid),
        (413, "RequestEntityTooLarge", Invalid),
        (422, "Invalid", Invalid),
        (429, "TooManyRequests", Unavailable),
        (500, "InternalError", Unavailable),
        (503, "ServiceUnavailable", Unavailable),
        (504, "Timeout", Unavailable),
        (418, "Teapot", ApiError),
    ],
)
def test_status_has_a_class(code: int, reason: str, expected: type[ApiError]) -> None:
    body = json.dumps({"code": code, "reason": reason, "message": "because"}).encode()
    error = error_of("GET /x", code, {}, body)
    assert type(error) is expected
    assert str(error) == "GET /x: because"
    assert (error.code, error.reason) == (code, reason)
    assert error.remedy


@pytest.mark.parametrize(
    ("code", "content", "expected"),
    [
        (502, b"<html>Bad Gateway</html>", Unavailable),
        (404, b"404 page not found\n", NotFound),
        (409, b"", Conflict),
        (503, b'{"code": "no number"}', Unavailable),
        (500, b"\xff\xfe", Unavailable),
    ],
)
def test_answer_of_somebody_else_is_judged_by_its_number(
    code: int, content: bytes, expected: type[ApiError]
) -> None:
    error = error_of("GET /x", code, {}, content)
    assert type(error) is expected
    assert str(code) in str(error)


def test_invalid_names_every_field() -> None:
    causes = [
        {"field": "spec.bmc.address", "message": "Required value", "reason": "FieldValueRequired"},
        {"field": "spec.online", "message": "must be boolean", "reason": "FieldValueTypeInvalid"},
    ]
    body = {"code": 422, "reason": "Invalid", "message": "two", "details": {"causes": causes}}
    error = error_of("POST /x", 422, {}, json.dumps(body).encode())
    assert isinstance(error, Invalid)
    assert error.causes == (
        Cause("spec.bmc.address", "Required value", "FieldValueRequired"),
        Cause("spec.online", "must be boolean", "FieldValueTypeInvalid"),
    )


@pytest.mark.parametrize(
    ("headers", "details", "seconds"),
    [
        ({"Retry-After": "7"}, {}, 7),
        ({}, {"retryAfterSeconds": 3}, 3),
        ({"Retry-After": "Wed, 21 Oct"}, {}, None),
        ({}, {}, None),
    ],
)
def test_server_may_say_when_to_come_back(
    headers: dict[str, str], details: dict[str, int], seconds: float | None
) -> None:
    body = json.dumps({"code": 429, "reason": "TooManyRequests", "details": details}).encode()
    error = error_of("GET /x", 429, headers, body)
    assert isinstance(error, Unavailable)
    assert error.retry_after == seconds
