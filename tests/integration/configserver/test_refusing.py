"""Nobody learns anything who has no good token, and nobody can keep others from theirs."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from ingot.configserver.message import BODY_BYTES
from ingot.configserver.serving import AT_ONCE_EACH
from tests.e2e.site import eventually
from tests.integration.configserver.office import LOOPBACK, Office, token_of


@contextmanager
def connected(office: Office) -> Iterator[ssl.SSLSocket]:
    context = ssl.create_default_context(cafile=office.authority)
    with (
        socket.create_connection((LOOPBACK, office.port), timeout=30) as plain,
        context.wrap_socket(plain, server_hostname=LOOPBACK) as secure,
    ):
        yield secure


def said(office: Office, request: bytes) -> bytes:
    """Return what is answered to bytes, by when the connection ends."""
    with connected(office) as secure:
        secure.sendall(request)
        answer = b""
        while data := secure.recv(65536):
            answer += data
    return answer


def test_every_wrong_way_of_asking_gets_the_same_answer(office: Office) -> None:
    control_plane, worker = token_of(office.control_plane), token_of(office.worker)
    replies = [
        office.ask("/config/worker"),
        office.ask("/config/worker", ""),
        office.ask("/config/worker", "wrong"),
        office.ask("/config/worker", control_plane),
        office.ask("/config/master", worker),
        office.ask("/config/boss", worker),
        office.ask("/", worker),
        office.ask("/report", "wrong", method="POST", body="{}"),
    ]
    assert {reply.status for reply in replies} == {403}
    assert len({reply.content for reply in replies}) == 1


def test_the_log_says_who_asked_and_never_with_what(office: Office) -> None:
    office.ask("/config/worker", token_of(office.worker))
    office.ask("/config/worker", "a-wrong-secret")
    granted = office.ask("/config/worker", token_of(office.worker)).facts.token
    log = office.logged()
    assert f"{LOOPBACK} asked for /config/worker: {office.worker}, granted" in log
    assert f"{LOOPBACK} asked for /config/worker: unknown, 403" in log
    for secret in (token_of(office.worker), "a-wrong-secret", granted, granted[7:]):
        assert secret not in log


def test_who_is_refused_too_often_has_to_wait_but_a_good_token_still_counts(
    office: Office,
) -> None:
    replies = [office.ask("/config/worker", f"guess {number}") for number in range(14)]
    assert replies[0].status == 403
    assert replies[-1].status == 429
    assert int(replies[-1].headers["Retry-After"]) > 0
    assert office.ask("/config/worker", token_of(office.worker)).status == 200


def test_a_host_that_asks_without_end_is_slowed_down(office: Office) -> None:
    replies = [office.ask("/config/worker", token_of(office.worker)) for _ in range(12)]
    assert replies[0].status == 200
    assert replies[-1].status == 429
    assert int(replies[-1].headers["Retry-After"]) > 0
    other = office.ask("/config/master", token_of(office.control_plane))
    assert other.status == 200


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (b"POST /report HTTP/1.1\r\n\r\n", 411),
        (b"POST /report HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /report HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (BODY_BYTES + 1), 413),
        (b"POST /healthz HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 403),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
        (b"HEAD /healthz HTTP/1.1\r\n\r\n", 200),
    ],
)
def test_a_request_is_answered_within_bounds(office: Office, request_: bytes, code: int) -> None:
    assert said(office, request_).startswith(b"HTTP/1.1 %d " % code)


def test_a_config_is_got_and_not_put(office: Office) -> None:
    reply = office.ask("/config/worker", token_of(office.worker), method="DELETE")
    assert reply.status == 405


def test_those_who_only_hold_the_line_are_not_more_than_so_many(office: Office) -> None:
    with ExitStack() as stack:
        for _ in range(AT_ONCE_EACH):
            stack.enter_context(connected(office))
        with pytest.raises(OSError, match=r".*"), connected(office):
            pass
        assert "too many connections at once" in office.logged()
    eventually(office.answers, within=30, every=0.1)


def test_who_refuses_our_certificate_is_named_in_the_log(office: Office) -> None:
    stranger = ssl.create_default_context()
    with (
        socket.create_connection((LOOPBACK, office.port), timeout=30) as plain,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        stranger.wrap_socket(plain, server_hostname=LOOPBACK)
    named = f"{LOOPBACK}: TLS failed: "
    eventually(lambda: named in office.logged(), within=30, every=0.05)
    assert "its clock may be off" in office.logged()
