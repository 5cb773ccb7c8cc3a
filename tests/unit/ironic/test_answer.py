"""Which error an answer means, and whether to try again."""

from __future__ import annotations

import json

import pytest

from ingot.ironic.answer import error_of, sentence_of
from ingot.ironic.refusal import (
    AlreadyExistsError,
    AnswerError,
    Call,
    FaultError,
    IronicError,
    NodeBusyError,
    NotFoundError,
    OverloadedError,
    RefusedError,
    UnauthorizedError,
    UnreachableError,
    VersionError,
)

PUT = Call("PUT", "/v1/nodes/a/states/power")
LOCKED = "Node a is locked by host ingot, please retry after the current operation is completed."


def body(sentence: str) -> bytes:
    return json.dumps({"error_message": json.dumps({"faultstring": sentence})}).encode()


@pytest.mark.parametrize(
    ("status", "sentence", "kind", "retry_after", "may_have_acted"),
    [
        (301, "", AnswerError, 10, True),
        (400, "no such step", RefusedError, None, False),
        (401, "Authorization required", UnauthorizedError, None, False),
        (403, "not yours", UnauthorizedError, None, False),
        (404, "Node a could not be found.", NotFoundError, None, False),
        (406, "the minor version is not supported", VersionError, 60, False),
        (409, LOCKED, NodeBusyError, 3, False),
        (409, "Node a can not be updated while a state transition", NodeBusyError, 3, False),
        (409, "A node with name a already exists.", AlreadyExistsError, None, False),
        (409, "Instance i is already associated with a node", AlreadyExistsError, None, False),
        (413, "Request body is too large.", RefusedError, None, False),
        (429, "slower", OverloadedError, 10, False),
        (500, "a fault", FaultError, 10, True),
        (502, "", FaultError, 10, True),
        (503, "lack of free conductor workers", OverloadedError, 10, False),
        (504, "", FaultError, 10, True),
        (599, "", FaultError, 10, True),
    ],
)
def test_an_answer_means(
    status: int,
    sentence: str,
    kind: type[IronicError],
    retry_after: float | None,
    *,
    may_have_acted: bool,
) -> None:
    error = error_of(PUT, status, {"openstack-request-id": "req-1"}, body(sentence))
    assert type(error) is kind
    assert error.retry_after == retry_after
    assert error.may_have_acted is may_have_acted
    assert error.remedy
    assert "PUT /v1/nodes/a/states/power (req-1)" in str(error)
    assert (sentence or f"HTTP {status}") in str(error)


@pytest.mark.parametrize(("given", "seconds"), [("7", 7), ("Fri, 1 Jan", 10), ("-1", 10)])
def test_ironic_may_say_when_to_come_back(given: str, seconds: float) -> None:
    assert error_of(PUT, 503, {"retry-after": given}, b"").retry_after == seconds


def test_a_read_that_was_lost_has_done_nothing() -> None:
    read, write = Call("GET", "/v1/nodes"), Call("POST", "/v1/nodes")
    assert not UnreachableError(read, "reset", sent=True).may_have_acted
    assert UnreachableError(write, "reset", sent=True).may_have_acted
    assert not UnreachableError(write, "refused", sent=False).may_have_acted


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (body("a sentence"), "a sentence"),
        (b'{"error": {"message": "a sentence", "code": 401}}', "a sentence"),
        (
            b'{"error_message": "{\\"title\\": \\"x\\", \\"description\\": \\"a sentence\\"}"}',
            "a sentence",
        ),
        (b'{"faultstring": "a sentence"}', "a sentence"),
        (b"a sentence", "a sentence"),
        (b"<html>a page</html>", ""),
        (b"", ""),
        (b"{}", ""),
        (b"[1]", ""),
        (b'{"error_message": "{broken"}', '{"error_message": "{broken"}'),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"x" * 9000, "x" * 2000),
    ],
)
def test_the_sentence_is_found_in_whatever_comes(content: bytes, sentence: str) -> None:
    assert sentence_of(content) == sentence
