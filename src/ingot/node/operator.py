"""The host operator as a process: options from the environment, a log, signals."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys

from ingot.errors import ExitCode
from ingot.metal3.operator.options import Options, read
from ingot.metal3.operator.program import run

__all__ = ["operate"]

_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_CHATTY = ("httpx2", "httpcore2", "httpx", "httpcore", "asyncio")
"""Libraries that tell of every request; an error of theirs reaches us anyway."""


def operate() -> int:
    """Run until the first SIGTERM or SIGINT; what is under way then is ended first."""
    options = read(os.environ)
    logging.basicConfig(
        level=options.log_level.upper(), format=_FORMAT, stream=sys.stderr, force=True
    )
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    asyncio.run(_until_told(options))
    return ExitCode.OK


async def _until_told(options: Options) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await run(options, stop)
