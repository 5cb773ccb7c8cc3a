"""`ingot-node bootstrap` as a process."""

from __future__ import annotations

import sys

from ingot.errors import ExitCode
from ingot.node.bootstrap.options import FILE, Places, read
from ingot.node.bootstrap.program import Bootstrap
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["bootstrap"]


def bootstrap() -> int:
    """Run until the cluster stands alone, or until told to stop."""
    log_to_stderr("info", "%(levelname)s: %(message)s")
    program = Bootstrap(read(FILE), Places(), console=_say)
    run_until_told(program.run)
    return ExitCode.OK


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
