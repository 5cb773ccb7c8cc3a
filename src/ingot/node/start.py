"""The entry point of `ingot-node`: one word says what to do. So far it can say who it is."""

from __future__ import annotations

import sys

from ingot import __version__
from ingot.errors import ExitCode

__all__ = ["main"]


def main() -> int:
    """Do what the first word says and return the process's exit code."""
    if sys.argv[1:] == ["version"]:
        sys.stdout.write(f"ingot-node {__version__}\n")
        return ExitCode.OK
    sys.stderr.write("usage: ingot-node version\n")
    return ExitCode.USAGE
