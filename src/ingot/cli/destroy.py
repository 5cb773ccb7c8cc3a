"""`ingot destroy …`: the bootstrap VM, or the whole cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli import invocation
from ingot.cli.building import ended_by_signals, print_json
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.errors import Interrupted

if TYPE_CHECKING:
    from ingot.installer.destroying import Ended
    from ingot.installer.directory import InstallDirectory
    from ingot.installer.progress import Listener

__all__ = ["app"]

app = typer.Typer(help="Take away what an install has made.", no_args_is_help=True)


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
def cluster(  # noqa: PLR0913 - one for each option
    ctx: typer.Context,
    *,
    wipe: Annotated[
        bool, typer.Option("--wipe", help="Wipe the servers' disks too; takes some minutes.")
    ] = False,
    timeout: Annotated[
        list[str] | None,
        typer.Option(
            "--timeout",
            metavar="PHASE=DURATION",
            help="With --wipe: how long a phase may take, such as hosts=2h; may be given "
            "several times.",
        ),
    ] = None,
    bmc_timeout: Annotated[
        int, typer.Option("--bmc-timeout", min=1, help="Seconds that a BMC may take.")
    ] = 60,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Switch the servers off, eject their media, remove the bootstrap VM and what was made here.

    Servers that were added to the cluster later go too, as long as its API tells of them. Files
    that you wrote or changed are kept. So is what is on the servers' disks, unless --wipe
    is given.
    """
    from ingot.installer.destroying import Ended, LeftBehind, destroy_cluster  # noqa: PLC0415 - as above
    from ingot.installer.directory import InstallDirectory  # noqa: PLC0415 - as above
    from ingot.installer.phase import limits_from  # noqa: PLC0415 - as above
    from ingot.installer.wiping import Wiping  # noqa: PLC0415 - as above

    limits = limits_from(timeout or [])
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
                    wiping=Wiping(place, limits, _shown) if wipe else None,
                )
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; servers and VM may be half taken away",
                remedy=f"run `ingot destroy cluster{' --wipe' * wipe}` again: it goes on",
            ) from None
    _print(place, ended, output)
    if ended.failed:
        raise LeftBehind(ended.failed, place, wipe=wipe)


@contextmanager
def _shown() -> Iterator[Listener]:
    """Show how disks are wiped; on standard error, as the result is one."""
    from ingot.ui.install import displaying  # noqa: PLC0415 - slow to import

    with displaying(as_json=False) as display:
        yield display.show


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
            f"{len(ended.files.removed)} files removed; {_disks(ended)}"
        )


def _disks(ended: Ended) -> str:
    left = [name for name in ended.servers if name not in ended.wiped]
    if not left:
        return "all disks were wiped"
    return f"disks of {', '.join(left)} were not wiped" if ended.wiped else "disks were not wiped"


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
                "wiped": name in ended.wiped,
                "error": one.failed or None,
            }
            for name, one in ended.servers.items()
        ],
        "removed": list(ended.files.removed) if ended.files else [],
        "kept": list(ended.files.kept) if ended.files else [],
        "failed": dict(ended.failed),
        "spared": dict(ended.spared),
        "addedUnknown": ended.added_unknown,
        "wiped": bool(ended.servers) and ended.servers.keys() <= ended.wiped,
    }
