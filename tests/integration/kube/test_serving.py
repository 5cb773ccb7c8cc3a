"""The pages for probes and Prometheus, over a real socket."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from ingot.kube import serving
from ingot.kube.metrics import Metrics
from ingot.kube.serving import REQUEST_BYTES, Endpoints, Health
from tests.integration.kube.widgets import awaited


async def asked(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


async def got(endpoints: Endpoints, target: str, method: str = "GET") -> tuple[int, str]:
    async with endpoints.served("127.0.0.1") as port:
        answer = await asked(port, f"{method} {target} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


def endpoints(live: str = "", ready: str = "") -> Endpoints:
    health = Health(live={"loop": lambda: live}, ready={"watches": lambda: ready})
    return Endpoints(Metrics(), health)


@awaited()
async def test_healthy_program_is_live_and_ready() -> None:
    assert await got(endpoints(), "/healthz") == (200, "[+]loop ok\nok\n")
    assert await got(endpoints(), "/readyz?verbose") == (200, "[+]loop ok\n[+]watches ok\nok\n")


@awaited()
async def test_program_that_waits_is_live_but_not_ready_and_says_why() -> None:
    waiting = endpoints(ready="not listed yet")
    assert (await got(waiting, "/healthz"))[0] == 200
    code, said = await got(waiting, "/readyz")
    assert code == 500
    assert "[-]watches failed: not listed yet" in said


@awaited()
async def test_metrics_are_served_in_the_text_format() -> None:
    pages = endpoints()
    pages.metrics.controller("host", workers=8).count("success")
    pages.metrics.queue("host").adds.inc()
    code, text = await got(pages, "/metrics")
    assert code == 200
    for line in (
        'controller_runtime_reconcile_total{controller="host",result="success"} 1.0',
        'controller_runtime_max_concurrent_reconciles{controller="host"} 8.0',
        'workqueue_adds_total{controller="host",name="host"} 1.0',
        'workqueue_depth{controller="host",name="host"} 0.0',
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize(
    ("method", "target", "code"),
    [("GET", "/", 404), ("POST", "/metrics", 405), ("HEAD", "/healthz", 200)],
)
def test_other_requests_are_answered_too(method: str, target: str, code: int) -> None:
    answered = asyncio.run(got(endpoints(), target, method))
    assert answered[0] == code
    assert method != "HEAD" or not answered[1]


@awaited()
async def test_what_is_no_request_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.2)
    async with endpoints().served("127.0.0.1") as port:
        assert await asked(port, b"half a requ") == b"", "it is not waited for"
        assert b" 400 " in await asked(port, b"\r\n\r\n")
        with suppress(ConnectionResetError):  # It may hang up before all of it was sent.
            assert b" 400 " in await asked(port, b"GET /" + b"x" * 2 * REQUEST_BYTES)
        assert b" 200 " in await asked(port, b"GET /healthz HTTP/1.1\r\n\r\n")
