"""The controllers of machines as a process: options from the environment, a log, signals."""

from __future__ import annotations

import os
from functools import partial
from typing import Final

from ingot.errors import ExitCode
from ingot.machineapi.options import read
from ingot.machineapi.program import run
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["control_machines"]

_LAYOUT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def control_machines() -> int:
    """Run until the first SIGTERM or SIGINT; what is under way then is ended first."""
    options = read(os.environ)
    log_to_stderr(options.log_level, _LAYOUT)
    run_until_told(partial(run, options))
    return ExitCode.OK
