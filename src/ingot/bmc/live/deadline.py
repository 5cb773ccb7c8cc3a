"""An end to every call, whatever a library or a BMC does.

Time-outs of sockets are not enough: a BMC that sends a byte now and then keeps a call for ever. So
a call runs in a thread that nobody has to wait for, and that does not keep the program from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

__all__ = ["begun", "done_within"]

T = TypeVar("T")


def done_within(seconds: float, work: Callable[[], T]) -> T:
    """Return what work returns, or raise what it raises.

    Raises:
        TimeoutError: it takes longer; it may go on, and nobody hears of it.
    """
    return begun(work).result(timeout=seconds)


def begun(work: Callable[[], T]) -> Future[T]:
    """Begin work in a thread of its own, and return what will come of it."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            future.set_exception(error)

    threading.Thread(target=run, name="bmc", daemon=True).start()
    return future
