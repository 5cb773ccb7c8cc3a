"""How much a server has taken, told by the kernel of this machine through the real `ss`."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from pathlib import Path

import pytest

from ingot.node.bootstrap.sending import Cards, read_shares
from tests.e2e.site import eventually

SIZE = 200_000
LOOPBACK = {"cp-0": Cards(frozenset(), frozenset({ip_address("127.0.0.1")}))}


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "disk.img"
    with path.open("wb") as file:
        file.truncate(SIZE)
    return path


def test_what_has_arrived_is_counted_while_it_is_sent(image: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as taking:
            sending, _ = server.accept()
            with sending:
                sending.sendall(b"\0" * (SIZE // 2))
                left = SIZE // 2
                while left:
                    left -= len(taking.recv(left))
                eventually(
                    lambda: read_shares(LOOPBACK, image=image, port=port) == {"cp-0": 0.5},
                    within=10,
                )


def test_nobody_takes_anything_where_nobody_is_connected(image: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert read_shares(LOOPBACK, image=image, port=server.getsockname()[1]) == {}


def test_an_image_that_is_not_there_is_taken_by_nobody(tmp_path: Path) -> None:
    assert read_shares(LOOPBACK, image=tmp_path / "disk.img") == {}
