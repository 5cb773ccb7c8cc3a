"""`ingot destroy …`: the bootstrap VM, or the whole cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli import invocation
from ingot.cli.building import ended_by_signals, print_json
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.errors import ExitCode, IngotError, Interrupted

if TYPE_CHECKING:
    from ingot.installer.destroying import Ended
    from ingot.installer.directory import InstallDirectory

__all__ = ["app"]

app = typer.Typer(help="Take away what an install has made.", no_args_is_help=True)


class CannotWipe(IngotError):  # noqa: N818 - it says what was seen
    """Disks cannot be wiped."""

    exit_code = ExitCode.USAGE


@app.callback()
def destroy() -> None:
    """Take away what an install has made."""


@app.command("bootstrap")
def bootstrap(
    ctx: typer.Context,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Remove the bootstrap VM with its disks and its storage pool; servers are left alone."""
    from ingot.installer.destroying import destroy_bootstrap  # noqa: PLC0415 - keeps --help fast
    from ingot.installer.directory import InstallDirectory  # noqa: PLC0415 - as above

    place = InstallDirectory(invocation.of(ctx).directory)
    there = False
    if place.journal.exists():
        with ended_by_signals(), place.held():
            there = destroy_bootstrap(place)
    if output is Output.JSON:
        print_json({"vm": there})
    else:
        typer.echo("the bootstrap VM is gone" if there else "there is no bootstrap VM")


@app.command("cluster")
def cluster(
    ctx: typer.Context,
    *,
    wipe: Annotated[
        bool, typer.Option("--wipe", help="Wipe the servers' disks too. Cannot be done yet.")
    ] = False,
    bmc_timeout: Annotated[
        int, typer.Option("--bmc-timeout", min=1, help="Seconds that a BMC may take.")
    ] = 60,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Switch the servers off, eject their media, remove the bootstrap VM and what was made here.

    Files that you wrote or changed are kept. The servers' disks keep what is on them.
    """
    if wipe:
        raise CannotWipe(
            "disks cannot be wiped yet, and nothing was destroyed",
            remedy="run it without --wipe: servers are switched off with their disks as they are, "
            "and the next install cleans them before it writes",
        )
    from ingot.installer.destroying import Ended, LeftBehind, destroy_cluster  # noqa: PLC0415 - as above
    from ingot.installer.directory import InstallDirectory  # noqa: PLC0415 - as above

    place = InstallDirectory(invocation.of(ctx).directory)
    if not place.journal.exists():  # The directory itself may not be there: it is not made.
        _print(place, Ended(begun=False), output)
        return
    with ended_by_signals():
        try:
            with place.held():
                ended = destroy_cluster(
                    place,
                    say=lambda line: typer.echo(line, err=output is Output.JSON),
                    patience=bmc_timeout,
                )
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; servers and VM may be half taken away",
                remedy="run `ingot destroy cluster` again: it goes on",
            ) from None
    _print(place, ended, output)
    if ended.failed:
        raise LeftBehind(ended.failed, place)


def _print(place: InstallDirectory, ended: Ended, output: Output) -> None:
    if output is Output.JSON:
        print_json(_as_json(ended))
    elif not ended.begun:
        typer.echo(f"there is nothing to destroy: no cluster was begun in {place.path}")
    elif ended.files is not None:
        for name in ended.files.kept:
            typer.echo(f"{name} was changed by you: kept")
        typer.echo(
            f"the cluster is gone: {len(ended.servers)} servers off, "
            f"{len(ended.files.removed)} files removed; disks were not wiped"
        )


def _as_json(ended: Ended) -> dict[str, object]:
    return {
        "begun": ended.begun,
        "complete": not ended.failed,
        "vm": ended.vm,
        "servers": [
            {
                "name": name,
                "wasOn": one.was_on,
                "ejected": list(one.ejected),
                "error": one.failed or None,
            }
            for name, one in ended.servers.items()
        ],
        "removed": list(ended.files.removed) if ended.files else [],
        "kept": list(ended.files.kept) if ended.files else [],
        "failed": dict(ended.failed),
        "wiped": False,
    }
