"""The monitor of a node's network as a process: a log, signals, and asking it how things stand."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from ingot.errors import ExitCode
from ingot.onprem.monitor.options import RUN_FOLDER, VARIABLE, Options, read
from ingot.onprem.monitor.status import shown
from ingot.onprem.monitor.statussocket import SOCKET_NAME, ask

__all__ = ["monitor", "vip"]

_FORMAT = "%(levelname)s: %(message)s"
"""The journal has the time, and the name of the unit."""

_CHATTY = ("httpx2", "httpcore2", "httpx", "httpcore", "asyncio")

USAGE = "usage: ingot-node vip status [-o json]\n"


def monitor() -> int:
    """Run until the first SIGTERM or SIGINT; the VIPs are given up first."""
    options = read(os.environ)
    logging.basicConfig(
        level=options.log_level.upper(), format=_FORMAT, stream=sys.stderr, force=True
    )
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    asyncio.run(_until_told(options))
    return ExitCode.OK


async def _until_told(options: Options) -> None:
    # A word that only asks has no use for all that a monitor needs.
    from ingot.onprem.monitor.program import Monitor  # noqa: PLC0415

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await Monitor(options).run(stop)


def vip(words: Sequence[str]) -> int:
    """Ask this node's monitor who holds the VIPs, and say it."""
    match words:
        case ["status"]:
            sys.stdout.write(shown(ask(_socket())))
        case ["status", "-o", "json"]:
            sys.stdout.write(json.dumps(ask(_socket()), indent=2) + "\n")
        case _:
            sys.stderr.write(USAGE)
            return ExitCode.USAGE
    return ExitCode.OK


def _socket() -> Path:
    folder = read(os.environ).folders.run if os.environ.get(VARIABLE) else RUN_FOLDER
    return folder / SOCKET_NAME
