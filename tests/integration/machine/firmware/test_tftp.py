"""The TFTP client gets its file from servers that lose, repeat and refuse."""

from __future__ import annotations

import io
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from ingot.machine.firmware.tftp import TftpError, receive

CONTENT = os.urandom(10_000)
QUICK = (0.1, 0.1, 0.1)
Answer = Callable[[bytes], list[bytes]]


@contextmanager
def answering(answer: Answer) -> Iterator[int]:
    """Run a server that answers each packet with some; return its port."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as transfer,
    ):
        door.bind(("127.0.0.1", 0))
        transfer.bind(("127.0.0.1", 0))
        over = threading.Event()

        def serve() -> None:
            packet, client = door.recvfrom(4096)
            transfer.settimeout(0.05)
            while not over.is_set():
                for answered in answer(packet):
                    transfer.sendto(answered, client)
                packet = b""
                while not packet and not over.is_set():
                    try:
                        packet, client = transfer.recvfrom(4096)
                    except TimeoutError:
                        continue

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield door.getsockname()[1]
        finally:
            over.set()
            door.sendto(b"", door.getsockname())
            thread.join()


def sending(content: bytes, *, block: int = 512, options: bytes = b"") -> Answer:
    """Return the answers of a server that works."""

    def answer(packet: bytes) -> list[bytes]:
        kind = packet[1]
        if kind == 1 and options:
            return [b"\0\x06" + options]
        last = int.from_bytes(packet[2:4], "big") if kind == 4 else 0
        if last * block > len(content):
            return []
        number = last + 1
        return [b"\0\x03" + number.to_bytes(2, "big") + content[last * block : number * block]]

    return answer


def received(port: int, path: str = "file") -> bytes:
    target = io.BytesIO()
    size = receive("127.0.0.1", path, target, lambda *_: None, port=port, patience=QUICK)
    assert size == len(target.getvalue())
    return target.getvalue()


@pytest.mark.parametrize("length", [0, 1, 511, 512, 513, 1024, 10_000])
def test_file_of_any_length_comes_whole(length: int) -> None:
    with answering(sending(CONTENT[:length])) as port:
        assert received(port) == CONTENT[:length]


def test_larger_blocks_are_used_where_the_server_agrees() -> None:
    options = b"blksize\x001000\0tsize\x0010000\0"
    told: list[tuple[int, int | None]] = []
    with answering(sending(CONTENT, block=1000, options=options)) as port:
        target = io.BytesIO()
        receive(
            "127.0.0.1", "file", target, lambda *seen: told.append(seen), port=port, patience=QUICK
        )
    assert target.getvalue() == CONTENT
    assert told[0] == (1000, 10_000)


def test_lost_packets_are_sent_again() -> None:
    works, count = sending(CONTENT), 0

    def loses_every_third(packet: bytes) -> list[bytes]:
        nonlocal count
        count += 1
        return works(packet) if count % 3 else []

    with answering(loses_every_third) as port:
        assert received(port) == CONTENT


def test_repeated_packets_are_passed_over() -> None:
    works = sending(CONTENT)
    with answering(lambda packet: works(packet) * 2) as port:
        assert received(port) == CONTENT


def test_block_numbers_may_start_over() -> None:
    content, sent = bytes(8 * 70_000), 0

    def wrapping(packet: bytes) -> list[bytes]:
        nonlocal sent
        if packet[1] == 1:
            return [b"\0\x06blksize\x008\0"]
        sent += 1
        number = (sent & 0xFFFF).to_bytes(2, "big")
        return [b"\0\x03" + number + content[(sent - 1) * 8 : sent * 8]]

    with answering(wrapping) as port:
        assert received(port) == content


def test_refusal_is_told_in_the_words_of_the_server() -> None:
    with (
        answering(lambda _: [b"\0\x05\0\x01file not found\0"]) as port,
        pytest.raises(TftpError, match="file not found"),
    ):
        received(port)


def test_server_that_stops_is_given_up() -> None:
    works = sending(CONTENT)
    with (
        answering(lambda packet: works(packet) if packet[1] == 1 else []) as port,
        pytest.raises(TftpError, match="no answer"),
    ):
        received(port)
