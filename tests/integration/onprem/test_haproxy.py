"""The real haproxy: it accepts what is rendered, and changes its servers while it runs."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest

from ingot.machine import namespaces
from ingot.onprem.checking import check_haproxy
from ingot.onprem.haproxy import API, SLOTS, Haproxy, haproxy_of
from ingot.onprem.haproxyslots import Slot, SlotState, ready_count
from ingot.onprem.haproxysocket import BalancerSilentError, HaproxySocket
from ingot.onprem.model import Address, Family
from ingot.onprem.problem import RefusedConfigError
from tests.e2e.site import eventually
from tests.integration.onprem.wires import running, wired
from tests.unit.onprem.situations import V4, V6, situation

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")
A, B, C, D = (ip_address(f"127.0.0.{number}") for number in (11, 12, 13, 14))


@pytest.mark.parametrize("stacks", [(V4,), (V6,), (V4, V6), (V6, V4)], ids="+".join)
def test_haproxy_accepts_what_is_rendered(tmp_path: Path, stacks: tuple[str, ...]) -> None:
    rendered = haproxy_of(situation("master-0", *stacks), socket=tmp_path / "socket")
    assert rendered is not None
    check_haproxy(rendered.render())


def test_haproxy_accepts_as_many_backends_as_there_are_slots(tmp_path: Path) -> None:
    many = tuple(ip_address(f"10.9.0.{number}") for number in range(1, SLOTS))
    full = Haproxy(backends=many, families=(Family.IPV4,), socket=tmp_path / "socket")
    check_haproxy(full.render())


def test_what_haproxy_refuses_is_an_error_with_its_words(tmp_path: Path) -> None:
    broken = Haproxy(backends=(A,), families=(), socket=tmp_path / "socket").render()
    with pytest.raises(RefusedConfigError, match="balance"):
        check_haproxy(broken.replace("balance roundrobin", "balance astrology"))


def test_a_balancer_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(BalancerSilentError, match="No such file"):
        asyncio.run(HaproxySocket(tmp_path / "socket").slots(API))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=api -keyout"
    subprocess.run(
        ["openssl", *words.split(), path, "-out", path.with_suffix(".crt")],
        check=True,
        capture_output=True,
    )
    path.write_text(path.read_text() + path.with_suffix(".crt").read_text())
    return path


class Handler(BaseHTTPRequestHandler):
    """Says who it is; waits for the rest of a connection's requests."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        said = self.request.getsockname()[0].encode()
        self.send_response(200 if getattr(self.server, "ready", True) else 500)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_arguments: object) -> None:
        pass


@contextmanager
def api_server(address: Address, certificate: Path) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer((str(address), API.server_port), Handler, bind_and_activate=False)
    server.allow_reuse_address = True
    server.daemon_threads = True
    server.block_on_close = False
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    server.server_bind()
    server.server_activate()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Balancer:
    """A running haproxy, asked from outside its namespace through its socket."""

    def __init__(self, space: str, path: Path) -> None:
        self.space = space
        self.socket = HaproxySocket(path)

    def slots(self) -> tuple[Slot, ...]:
        return asyncio.run(self.socket.slots(API))

    def serve(self, *wanted: Address) -> bool:
        return asyncio.run(self.socket.serve(API, wanted))

    def in_use(self) -> dict[str, SlotState]:
        return {slot.address: slot.state for slot in self.slots() if slot.state != SlotState.FREE}

    def ready(self) -> int:
        try:
            return ready_count(self.slots())
        except BalancerSilentError:
            return 0

    def connect(self) -> ssl.SSLSocket:
        def connected() -> socket.socket:
            return socket.create_connection(("127.0.0.1", API.port), timeout=10)

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context.wrap_socket(namespaces.inside(self.space, connected))


def answer(connection: ssl.SSLSocket) -> str:
    connection.sendall(b"GET / HTTP/1.1\r\nHost: api\r\n\r\n")
    head, _, body = connection.recv(4096).partition(b"\r\n\r\n")
    assert b" 200 " in head
    return (body or connection.recv(4096)).decode()


@contextmanager
def api_servers(space: str, certificate: Path) -> Iterator[None]:
    """Serve at A to D, on the network of a namespace; C is not ready."""
    with ExitStack() as ending:
        for address in (A, B, C, D):
            made = api_server(address, certificate)
            server = namespaces.inside(space, made.__enter__)
            ending.push(made)
            vars(server)["ready"] = address != C
        yield


@pytest.fixture
def balancer(tmp_path: Path, certificate: Path) -> Iterator[Balancer]:
    config = Haproxy(backends=(A, B), families=(Family.IPV4,), socket=tmp_path / "socket")
    path = tmp_path / "haproxy.cfg"
    path.write_text(config.render())
    with (
        wired({"master-0": []}) as spaces,
        api_servers(spaces["master-0"], certificate),
        running(spaces["master-0"], "haproxy", "-db", "-f", path, log=tmp_path / "log"),
    ):
        balancer = Balancer(spaces["master-0"], tmp_path / "socket")
        eventually(lambda: balancer.ready() == 2, within=20, every=0.05)
        yield balancer


@ROOT
def test_a_backend_is_added_without_a_reload_and_is_ready_after_its_checks(
    balancer: Balancer,
) -> None:
    assert balancer.serve(A, B, D)
    assert balancer.in_use() == dict.fromkeys(map(str, (A, B, D)), SlotState.SERVING)
    eventually(lambda: balancer.ready() == 3, within=20, every=0.05)
    assert not balancer.serve(A, B, D)


@ROOT
def test_a_backend_that_is_not_ready_does_not_count(balancer: Balancer) -> None:
    balancer.serve(A, B, C)
    eventually(
        lambda: any(slot.address == str(C) and not slot.ready for slot in balancer.slots()),
        within=20,
        every=0.05,
    )
    assert balancer.ready() == 2


@ROOT
def test_connections_live_on_while_backends_come_and_go_even_their_own(
    balancer: Balancer,
) -> None:
    connection = balancer.connect()
    with connection:
        here = answer(connection)
        assert here in {str(A), str(B)}
        balancer.serve(A, B, D)
        assert answer(connection) == here
        balancer.serve(D)
        assert balancer.in_use()[here] is SlotState.DRAINING
        assert answer(connection) == here
    eventually(lambda: not balancer.serve(D) and len(balancer.in_use()) == 1, within=20, every=0.05)
    assert balancer.in_use() == {str(D): SlotState.SERVING}


@ROOT
def test_a_slot_takes_an_address_of_the_other_family(balancer: Balancer) -> None:
    balancer.serve(A, B, ip_address("fd09::13"))
    assert "fd09::13" in balancer.in_use()
