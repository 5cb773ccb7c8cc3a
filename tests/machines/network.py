"""Running a test itself in a network namespace, as a lab's daemon does."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.site import CLONE_NEWNET, call


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Do what follows in a network namespace.

    The thread alone changes over and not its mounts, as they do with `ip netns exec`: a namespace
    that is made meanwhile has to be seen by everyone.
    """
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        _enter(Path("/run/netns", namespace))
        yield
    finally:
        _enter(Path("/proc/self/fd", str(before)))
        os.close(before)


@contextmanager
def made_namespace(name: str, *bridges: str) -> Iterator[None]:
    """Make a network namespace with bridges and do what follows in there; it is gone afterwards."""
    call("ip", "netns", "add", name)
    try:
        with inside(name):
            for bridge in bridges:
                call("ip", "link", "add", bridge, "type", "bridge")
                call("ip", "link", "set", bridge, "up")
            yield
    finally:
        call("ip", "netns", "delete", name)


def _enter(namespace: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    with namespace.open() as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
