"""`ingot wait-for …`: wait for what another command makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from ingot.cli import invocation
from ingot.cli.building import ended_by_signals
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.cli.problems import print_problems
from ingot.errors import Interrupted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingot.config.model import InstallConfig
    from ingot.installer.directory import InstallDirectory
    from ingot.installer.phase import Phase
    from ingot.installer.progress import Listener, Progress

__all__ = ["app"]

app = typer.Typer(help="Wait for an install that is under way.", no_args_is_help=True)

TimeoutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--timeout",
        metavar="PHASE=DURATION",
        help="How long a phase may take, such as hosts=2h; may be given several times.",
    ),
]


class Wait(Protocol):
    """Waits until an install has come to some point."""

    def __call__(
        self,
        directory: InstallDirectory,
        config: InstallConfig,
        *,
        limits: Mapping[Phase, float],
        listener: Listener,
    ) -> Progress:
        """Return once it has."""


@app.callback()
def wait_for() -> None:
    """Wait for an install that is under way."""


@app.command("bootstrap-complete")
def bootstrap_complete(
    ctx: typer.Context,
    timeout: TimeoutOption = None,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Wait until the control plane stands on its own; as many may wait as like to."""
    from ingot.installer.attaching import wait_for_bootstrap  # noqa: PLC0415 - keeps --help fast

    _wait(ctx, wait_for_bootstrap, timeout or [], output)
    if output is Output.TEXT:
        typer.echo("the bootstrap is complete: the control plane stands on its own")


@app.command("install-complete")
def install_complete(
    ctx: typer.Context,
    timeout: TimeoutOption = None,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Wait until the whole cluster is there, with its workers; as many may wait as like to."""
    from ingot.installer.attaching import wait_for_install  # noqa: PLC0415 - keeps --help fast

    _wait(ctx, wait_for_install, timeout or [], output)
    if output is Output.TEXT:
        typer.echo("the install is complete: the cluster is there, with all that runs in it")


def _wait(ctx: typer.Context, wait: Wait, timeouts: list[str], output: Output) -> None:
    from ingot.installer.directory import InstallDirectory  # noqa: PLC0415 - keeps --help fast
    from ingot.installer.phase import limits_from  # noqa: PLC0415 - as above
    from ingot.installer.targets import ConfigInvalid, requested  # noqa: PLC0415 - as above
    from ingot.ui.install import displaying  # noqa: PLC0415 - slow to import

    limits = limits_from(timeouts)
    place = InstallDirectory(invocation.of(ctx).directory)
    with ended_by_signals():
        try:
            request = requested(place)
            with displaying(as_json=output is Output.JSON) as display:
                wait(place, request.config, limits=limits, listener=display.show)
        except ConfigInvalid as invalid:
            print_problems(invalid.report, str(place.config_file), err=True)
            raise
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; the install goes on",
                remedy=f"run `ingot wait-for {ctx.info_name}` again",
            ) from None
