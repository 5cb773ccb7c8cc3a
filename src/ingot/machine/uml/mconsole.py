"""Orders to a running User-Mode Linux kernel, by its management console.

The kernel listens on a datagram socket; a request is three numbers and at most 512 bytes of text,
and so is each part of its answer.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingot.machine.driver import MachineError

__all__ = ["KernelAbsent", "KernelRefuses", "KernelSilent", "order"]

MAGIC = 0xCAFEBABE
VERSION = 2
MOST_BYTES = 512

ANSWER_SECONDS = 5.0
"""A kernel that has the processor answers within milliseconds."""

_HEADER = struct.Struct("=III")


class KernelAbsent(MachineError):  # noqa: N818 - it says what was seen
    """No kernel listens: the machine is off, or still at its firmware."""

    def __init__(self, door: Path) -> None:
        super().__init__(f"no kernel listens at {door}", remedy="wait until the machine has booted")


class KernelSilent(MachineError):  # noqa: N818 - it says what was seen
    """The kernel has taken an order and says nothing."""

    def __init__(self, words: str) -> None:
        super().__init__(
            f"the kernel does not answer to {words!r} within {ANSWER_SECONDS:.0f} seconds",
            remedy="see its console; it may hang, and then only a reset helps",
        )


class KernelRefuses(MachineError):  # noqa: N818 - it says what was seen
    """The kernel does not do what it was told.

    Attributes:
        reason: what it says.
    """

    def __init__(self, words: str, reason: str) -> None:
        super().__init__(f"the kernel refuses {words!r}: {reason}", remedy="do as it says")
        self.reason = reason


def order(door: Path, words: str) -> str:
    """Tell a kernel to do something, and return its answer.

    Args:
        door: the socket where it listens.
        words: the order.

    Raises:
        KernelAbsent: nobody listens there.
        KernelSilent: it does not answer.
        KernelRefuses: it answers with an error.
    """
    text = words.encode()
    if len(text) >= MOST_BYTES:
        raise KernelRefuses(words, f"an order may have {MOST_BYTES - 1} bytes")
    with _letterbox(door) as letterbox:
        try:
            letterbox.connect(str(door))
            letterbox.send(_HEADER.pack(MAGIC, VERSION, len(text)) + text.ljust(MOST_BYTES, b"\0"))
            error, answer = _answer(letterbox)
        except (FileNotFoundError, ConnectionError):
            raise KernelAbsent(door) from None
        except TimeoutError:
            raise KernelSilent(words) from None
    if error:
        raise KernelRefuses(words, answer.strip())
    return answer


def _answer(letterbox: socket.socket) -> tuple[int, str]:
    text = b""
    while True:
        part = letterbox.recv(_HEADER.size + MOST_BYTES)
        error, more, length = _HEADER.unpack_from(part)
        text += part[_HEADER.size :][:length]
        if not more:
            return error, text.rstrip(b"\0").decode(errors="replace")


@contextmanager
def _letterbox(door: Path) -> Iterator[socket.socket]:
    """Open a socket that the answer can be sent to.

    It has a path and no abstract name: those are not seen from another network namespace.
    """
    path = door.parent.parent / f"{os.getpid()}-{threading.get_ident():x}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as letterbox:
        letterbox.settimeout(ANSWER_SECONDS)
        try:
            letterbox.bind(str(path))
        except FileNotFoundError:
            raise KernelAbsent(door) from None
        try:
            yield letterbox
        finally:
            path.unlink(missing_ok=True)
