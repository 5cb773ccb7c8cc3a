"""The monitor of a node's network as a process: a log, signals, and asking it how things stand."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ingot.errors import ExitCode
from ingot.node.running import log_to_stderr, run_until_told
from ingot.onprem.monitor.options import RUN_FOLDER, VARIABLE, read
from ingot.onprem.monitor.status import shown
from ingot.onprem.monitor.statussocket import SOCKET_NAME, ask

__all__ = ["monitor", "vip"]

_LAYOUT: Final = "%(levelname)s: %(message)s"
"""The journal has the time, and the name of the unit."""

USAGE = "usage: ingot-node vip status [-o json]\n"


def monitor() -> int:
    """Run until the first SIGTERM or SIGINT; the VIPs are given up first."""
    # A word that only asks has no use for all that a monitor needs.
    from ingot.onprem.monitor.program import Monitor  # noqa: PLC0415

    options = read(os.environ)
    log_to_stderr(options.log_level, _LAYOUT)
    run_until_told(lambda stop: Monitor(options).run(stop))
    return ExitCode.OK


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
