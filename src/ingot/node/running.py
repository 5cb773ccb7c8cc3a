"""What every long-running word of `ingot-node` has in common: a log, and an end by a signal."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Final

__all__ = ["log_to_stderr", "run_until_told"]

_CHATTY: Final = ("httpx2", "httpcore2", "httpx", "httpcore", "asyncio")
"""Libraries that tell of every request; an error of theirs reaches us anyway."""


def log_to_stderr(level: str, layout: str) -> None:
    """Write a log for whoever collects standard error."""
    logging.basicConfig(level=level.upper(), format=layout, stream=sys.stderr, force=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def run_until_told(work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run something until it ends; the first SIGTERM or SIGINT sets the event that it is given."""

    async def told() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await work(stop)

    asyncio.run(told())
