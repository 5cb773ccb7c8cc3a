"""The webhook's own server, asked by anybody."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ingot.metal3.webhooks.rotating import Rotation
from ingot.metal3.webhooks.serving import AT_ONCE, BODY_BYTES
from ingot.metal3.webhooks.tls import UnusableCertificate, WatchedTls
from tests.e2e.site import eventually
from tests.integration.metal3.webhook import LOOPBACK, Webhook


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Webhook]:
    """Return our server with no API server."""
    keys(tmp_path)
    webhook = Webhook(tmp_path, seconds=0.5)
    with webhook.running():
        yield webhook


def keys(folder: Path) -> Rotation:
    async def publish(_: bytes) -> None: ...

    rotation = Rotation(folder=folder, names=[LOOPBACK], publish=publish)
    rotation.begin()
    return rotation


@contextmanager
def connected(webhook: Webhook) -> Iterator[ssl.SSLSocket]:
    context = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
    with (
        socket.create_connection((LOOPBACK, webhook.port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname=LOOPBACK) as secure,
    ):
        yield secure


def said(webhook: Webhook, request: bytes) -> bytes:
    """Return what is answered to bytes, by when the connection ends."""
    with connected(webhook) as secure:
        secure.sendall(request)
        answer = b""
        while data := secure.recv(65536):
            answer += data
    return answer


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"\r\n\r\n", 400),
        (b"GET /validate HTTP/1.1\r\n\r\n", 405),
        (b"POST /other HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 404),
        (b"POST /validate HTTP/1.1\r\n\r\n", 411),
        (b"POST /validate HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /validate HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 411),
        (b"POST /validate HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 413),
        (b"POST /validate HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (BODY_BYTES + 1), 413),
        (b"POST /validate HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400),
        (b"POST /validate HTTP/1.1\r\nContent-Length: 9\r\n\r\n{", 408),
        (b"POST /validate HT", 408),
    ],
)
def test_a_request_that_is_none_is_told_so_within_bounds(
    alone: Webhook, request_: bytes, code: int
) -> None:
    assert said(alone, request_).startswith(b"HTTP/1.1 %d " % code)


def test_those_who_say_nothing_keep_nobody_waiting(alone: Webhook) -> None:
    silent = [socket.create_connection((LOOPBACK, alone.port), timeout=10) for _ in range(20)]
    try:
        assert said(alone, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404 ")
    finally:
        for one in silent:
            one.close()


def test_large_requests_that_never_end_keep_no_small_one_waiting(tmp_path: Path) -> None:
    keys(tmp_path)
    patient = Webhook(tmp_path, seconds=30)
    with patient.running(), ExitStack() as stack:
        for _ in range(AT_ONCE + 1):
            secure = stack.enter_context(connected(patient))
            secure.sendall(b"POST /validate HTTP/1.1\r\nContent-Length: 8000000\r\n\r\n")
        small = b"POST /validate HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
        assert said(patient, small).startswith(b"HTTP/1.1 400 ")


def test_a_certificate_without_its_key_does_not_take_the_place_of_a_pair(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    keys(first)
    keys(second)
    tls = WatchedTls(first / "tls.crt", first / "tls.key")
    tls.context()
    assert not tls.look()
    (first / "tls.crt").write_bytes((second / "tls.crt").read_bytes())
    with pytest.raises(UnusableCertificate):
        tls.look()
    (first / "tls.key").write_bytes((second / "tls.key").read_bytes())
    assert tls.look()
    assert not tls.look()


def test_a_connection_that_is_open_outlives_its_certificate(alone: Webhook, tmp_path: Path) -> None:
    before = alone.certificate()
    with connected(alone) as secure:
        secure.sendall(b"GET / HTTP")
        other = tmp_path / "other"
        keys(other)
        for name in ("tls.key", "tls.crt"):
            (other / name).replace(tmp_path / name)
        eventually(lambda: alone.certificate() != before, within=10, every=0.01)
        secure.sendall(b"/1.1\r\n\r\n")
        assert secure.recv(100).startswith(b"HTTP/1.1 404 ")


def test_there_is_no_server_without_a_certificate(tmp_path: Path) -> None:
    with pytest.raises(UnusableCertificate, match=r"tls\.crt"):
        WatchedTls(tmp_path / "tls.crt", tmp_path / "tls.key").context()
