"""`ingot create …`: the files of an install, and in time the cluster itself."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from ingot.cli import invocation
from ingot.cli.invocation import DirOption, LogLevelOption

__all__ = ["app"]

app = typer.Typer(help="Create the files of an install.", no_args_is_help=True)


class Example(StrEnum):
    """The samples that come with Ingot."""

    MANAGED = "managed"
    UNMANAGED = "unmanaged"
    VIRTUALMEDIA = "virtualmedia"
    DUAL_STACK = "dual-stack"


@app.callback()
def create() -> None:
    """Create the files of an install."""


@app.command("install-config")
def install_config(
    ctx: typer.Context,
    example: Annotated[
        Example | None,
        typer.Option("--example", help="Print a commented sample instead of asking questions."),
    ] = None,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Write install-config.yaml by asking what it needs, or print a sample."""
    if example is not None:
        from ingot.config.sample import sample  # noqa: PLC0415 - keeps --help fast

        sys.stdout.write(sample(example.value))
        return
    from ingot.ui.wizard import run  # noqa: PLC0415 - the terminal library is slow to import

    run(invocation.of(ctx).directory)
