"""What every command may be told: the directory, the log level and the form of the output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["DirOption", "Invocation", "LogLevel", "LogLevelOption", "Output", "OutputOption", "of"]


class LogLevel(StrEnum):
    """How much is told on the terminal."""

    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"


class Output(StrEnum):
    """For people, or for machines."""

    TEXT = "text"
    JSON = "json"


@dataclass(slots=True)
class Invocation:
    """The options that hold for the whole run, given before or after the command's name."""

    directory: Path = Path()
    log_level: LogLevel = LogLevel.INFO


def of(ctx: typer.Context) -> Invocation:
    """Return the run's options."""
    invocation = ctx.find_root().obj
    if not isinstance(invocation, Invocation):
        raise TypeError("the command was started without an invocation")
    return invocation


def _remember_directory(ctx: typer.Context, value: Path | None) -> Path | None:
    if value is not None and not ctx.resilient_parsing:
        of(ctx).directory = value
    return value


def _remember_log_level(ctx: typer.Context, value: LogLevel | None) -> LogLevel | None:
    if value is not None and not ctx.resilient_parsing:
        of(ctx).log_level = value
    return value


DirOption = Annotated[
    Path | None,
    typer.Option(
        "--dir",
        help="Directory of the install: its config, state and logs.",
        show_default=".",
        callback=_remember_directory,
        file_okay=False,
    ),
]
LogLevelOption = Annotated[
    LogLevel | None,
    typer.Option(
        "--log-level",
        help="How much to tell on the terminal.",
        show_default="info",
        callback=_remember_log_level,
    ),
]
OutputOption = Annotated[
    Output, typer.Option("-o", "--output", help="For people (text) or for machines (json).")
]
