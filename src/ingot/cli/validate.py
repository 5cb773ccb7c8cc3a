"""`ingot validate`: everything that is wrong with an install-config, in one pass."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli import invocation
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.errors import ExitCode

if TYPE_CHECKING:
    from ingot.config.loading import Loaded
    from ingot.config.problem import Problem

__all__ = ["validate"]


def validate(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="The install-config; - reads standard input.",
            show_default="install-config.yaml in --dir",
        ),
    ] = None,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Check an install-config: every error and warning at once, with line and remedy.

    Nothing but the file is looked at: no network, no BMC. Exits with 0 when an install may start,
    and with 3 when the file must be changed first.
    """
    from ingot.config.file import load_file  # noqa: PLC0415 - keeps --help fast

    path = file or invocation.of(ctx).directory / "install-config.yaml"
    loaded = load_file(path)
    if output is Output.JSON:
        _print_json(loaded)
    else:
        _print_text(loaded, "stdin" if str(path) == "-" else str(path))
    raise typer.Exit(ExitCode.OK if loaded.report.valid else ExitCode.INSTALL_CONFIG)


def _print_json(loaded: Loaded) -> None:
    report = loaded.report
    result = {
        "valid": report.valid,
        "errors": [problem.as_json() for problem in report.errors],
        "warnings": [problem.as_json() for problem in report.warnings],
    }
    json.dump(result, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def _print_text(loaded: Loaded, name: str) -> None:
    report = loaded.report
    for problem in [*report.errors, *report.warnings]:
        _print_problem(problem, name)
    counted = f"{_count(len(report.errors), 'error')}, {_count(len(report.warnings), 'warning')}"
    if report.valid:
        verdict = typer.style(f"{name} is valid", fg="green", bold=True)
        typer.echo(f"{verdict} ({counted}){_summary(loaded)}")
    else:
        typer.echo(typer.style(f"{name} is not valid", fg="red", bold=True) + f" ({counted})")


def _print_problem(problem: Problem, name: str) -> None:
    colour = "red" if problem.severity == "error" else "yellow"
    place = f"{name}:{problem.line}" if problem.line else name
    kind = typer.style(f"{problem.severity} {problem.rule}", fg=colour, bold=True)
    where = f"{typer.style(problem.field, bold=True)}: " if problem.field else ""
    typer.echo(f"{place}: {kind}: {where}{problem.message}")
    if problem.remedy:
        typer.echo(f"    {problem.remedy}")


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _summary(loaded: Loaded) -> str:
    config = loaded.config
    if config is None:
        return ""
    parts = [
        f"control plane {config.control_plane.replicas}",
        f"workers {config.worker_replicas}",
        f"hosts {len(config.baremetal.hosts)}",
        f"provisioning network {config.baremetal.provisioning_network}",
    ]
    return f"\n{config.cluster_domain}: {', '.join(parts)}"
