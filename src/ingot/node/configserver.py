"""The config server as a process: options from the environment, a log, signals."""

from __future__ import annotations

import os
from functools import partial
from typing import Final

from ingot.configserver.options import read
from ingot.configserver.program import run
from ingot.errors import ExitCode
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["serve"]

_LAYOUT: Final = "%(asctime)s %(levelname)-7s %(message)s"


def serve() -> int:
    """Run until the first SIGTERM or SIGINT."""
    options = read(os.environ)
    log_to_stderr(options.log_level, _LAYOUT)
    run_until_told(partial(run, options))
    return ExitCode.OK
