"""`ingot validate`: everything that is wrong with an install-config, in one pass."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli import invocation
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.cli.problems import as_json, counted, print_problems
from ingot.errors import ExitCode

if TYPE_CHECKING:
    from ingot.config.loading import Loaded

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
    json.dump(as_json(loaded.report), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def _print_text(loaded: Loaded, name: str) -> None:
    report = loaded.report
    print_problems(report, name)
    if report.valid:
        verdict = typer.style(f"{name} is valid", fg="green", bold=True)
        typer.echo(f"{verdict} ({counted(report)}){_summary(loaded)}")
    else:
        typer.echo(
            typer.style(f"{name} is not valid", fg="red", bold=True) + f" ({counted(report)})"
        )


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
