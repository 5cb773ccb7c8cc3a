"""`ingot version`. The plain form is answered by `start`, without coming here."""

from __future__ import annotations

import json

import typer

from ingot import __version__
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption

__all__ = ["version"]


def version(
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Show the version."""
    if output is Output.JSON:
        typer.echo(json.dumps({"version": __version__}))
    else:
        typer.echo(f"ingot {__version__}")
