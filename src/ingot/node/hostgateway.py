"""The host gateway as a process: options from the environment, a log, signals."""

from __future__ import annotations

import os
from functools import partial
from typing import Final

from ingot.errors import ExitCode
from ingot.hostgateway.options import read
from ingot.hostgateway.program import run
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["gateway"]

_LAYOUT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def gateway() -> int:
    """Run until the first SIGTERM or SIGINT; routes and rules stay."""
    options = read(os.environ)
    log_to_stderr(options.log_level, _LAYOUT)
    run_until_told(partial(run, options))
    return ExitCode.OK
