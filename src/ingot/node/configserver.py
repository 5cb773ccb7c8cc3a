"""The config server as a process: options from the environment, a log, signals."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from ingot.configserver.completing import complete
from ingot.configserver.options import read
from ingot.configserver.program import run
from ingot.errors import ExitCode
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["serve"]

USAGE = "usage: ingot-node configserver [complete]\n"

_LAYOUT: Final = "%(asctime)s %(levelname)-7s %(message)s"


def serve(words: Sequence[str] = ()) -> int:
    """Run until the first SIGTERM or SIGINT; or only furnish the folder that is served from."""
    match words:
        case []:
            options = read(os.environ)
            log_to_stderr(options.log_level, _LAYOUT)
            run_until_told(partial(run, options))
            return ExitCode.OK
        case ["complete"]:
            complete()
            return ExitCode.OK
        case _:
            sys.stderr.write(USAGE)
            return ExitCode.USAGE
