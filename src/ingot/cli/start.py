"""The entry point. It answers `version` and `--help` itself, before anything slow is imported.

Python itself starts in about 11 ms, and importing Typer takes 90 ms more. People and scripts ask
for the version and for help most often of all, so these two cost no more than Python's own start.
The help shown here is a file made from the real command line; `make generate` writes it and the
tests compare it, so the two cannot differ.
"""

from __future__ import annotations

import gc
import os
import sys

from ingot import __version__

__all__ = ["main"]

_HELP_REQUESTS = (["--help"], ["-h"])


def main() -> int:
    """Run one command and return the process's exit code."""
    words = sys.argv[1:]
    if "_INGOT_COMPLETE" not in os.environ:
        if words == ["version"]:
            return _print(f"ingot {__version__}\n")
        if words in _HELP_REQUESTS and not os.environ.get("TERMINAL_WIDTH"):
            return _print(_prepared_help())
    # Imports make many objects and little garbage: collecting less often saves a tenth of the
    # start, and not searching for pydantic plugins (there are none) another 13 ms.
    gc.set_threshold(50_000, 20, 100)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from ingot.cli.boundary import run  # noqa: PLC0415 - see above

    return run(words)


def _print(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`ingot --help | head -1`); stop without a word, as tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _prepared_help() -> str:
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    name = "help.ansi" if coloured and os.environ.get("TERM") != "dumb" else "help.txt"
    # Not importlib.resources: it costs as much as starting Python.
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123 - pathlib costs 4 ms here
        return file.read()
