"""`ingot create …`: the files of an install, and in time the cluster itself."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from ingot.cli import invocation
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption

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


@app.command("manifests")
def manifests(
    ctx: typer.Context,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Write what is applied to the cluster to manifests/, to be read, changed and added to."""
    from ingot.cli import assets  # noqa: PLC0415 - keeps --help fast

    assets.make(invocation.of(ctx).directory, "manifests", output)


@app.command("ignition-configs")
def ignition_configs(
    ctx: typer.Context,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Write what machines are told when they first boot, with keys, kubeconfig and manifests."""
    from ingot.cli import assets  # noqa: PLC0415 - keeps --help fast

    assets.make(invocation.of(ctx).directory, "ignition-configs", output)


@app.command("cluster")
def cluster(
    ctx: typer.Context,
    timeout: Annotated[
        list[str] | None,
        typer.Option(
            "--timeout",
            metavar="PHASE=DURATION",
            help="How long a phase may take, such as hosts=2h; may be given several times.",
        ),
    ] = None,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Make the cluster; run again, it goes on where it was."""
    from ingot.cli import cluster as making  # noqa: PLC0415 - keeps --help fast

    making.create(invocation.of(ctx).directory, timeouts=timeout or [], output=output)
