"""The console for results: as wide as the terminal, and never narrow in a pipe."""

from __future__ import annotations

from rich.console import Console

__all__ = ["results"]

PIPE_WIDTH = 400


def results() -> Console:
    """Return the console on standard output."""
    console = Console()
    # A line that a script reads stays whole, however long; a terminal's width is not its business.
    return console if console.is_terminal else Console(width=PIPE_WIDTH)
