"""`ingot lab fault …`: hosts and BMCs that misbehave, by request."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.cli.lab.options import (
    DEFAULT_NAME,
    HostArgument,
    NameOption,
    asking,
    host_of,
    lab_named,
)
from ingot.errors import ExitCode, IngotError
from ingot.lab.faults.kind import KINDS

if TYPE_CHECKING:
    from ingot.lab.faults.fault import Fault

__all__ = ["app"]

app = typer.Typer(help="Let hosts and BMCs misbehave.", no_args_is_help=True)


class NothingChosen(IngotError):  # noqa: N818 - it says what was seen
    """It is not said which faults are meant."""

    exit_code = ExitCode.USAGE


@app.callback()
def fault() -> None:
    """Let hosts and BMCs misbehave; the same seed gives the same failures."""


def _complete_kind(incomplete: str) -> list[tuple[str, str]]:
    return [(kind, info.effect) for kind, info in KINDS.items() if kind.startswith(incomplete)]


KindArgument = Annotated[
    str,
    typer.Argument(
        metavar="KIND", help="See `ingot lab fault kinds`.", autocompletion=_complete_kind
    ),
]


@app.command("set")
def set_(  # noqa: PLR0913 - one for each option
    host: HostArgument,
    kind: KindArgument,
    *,
    rate: Annotated[
        float, typer.Option(help="How likely each occasion is to be struck, from 0 to 1.")
    ] = 1.0,
    times: Annotated[
        int | None,
        typer.Option(help="How many are struck at most.", show_default="mostly without limit"),
    ] = None,
    after: Annotated[int, typer.Option(help="How many are spared first.")] = 0,
    seed: Annotated[int, typer.Option(help="Decides which ones the rate picks.")] = 0,
    amount: Annotated[
        float | None,
        typer.Option(help="How much, in the fault's unit.", show_default="the fault's own"),
    ] = None,
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Set a fault on a host; one of the same kind is replaced, its counts forgotten."""
    from ingot.lab.faults.fault import Fault, kind_named  # noqa: PLC0415 - keeps --help fast

    wanted = Fault(
        host=host,
        kind=kind_named(kind),
        rate=rate,
        times=times,
        after=after,
        seed=seed,
        amount=amount,
    ).checked()
    lab = lab_named(name)
    host_of(lab.plan(), host)
    with asking(lab) as daemon:
        daemon.set_fault(wanted)
    if output is Output.JSON:
        _print_json(asdict(wanted))
    else:
        typer.echo(f"{host}: {KINDS[wanted.kind].effect}")


@app.command("list")
def list_(
    host: Annotated[
        str | None, typer.Argument(metavar="[HOST]", help="A host's name.", show_default="all")
    ] = None,
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """List the faults that are set, and how often each has struck."""
    lab = lab_named(name)
    if host is not None:
        host_of(lab.plan(), host)
    with asking(lab) as daemon:
        found = daemon.faults(host)
    _show(found, output, none="no faults are set")


@app.command("clear")
def clear(  # noqa: PLR0913 - one for each option
    host: Annotated[
        str | None, typer.Argument(metavar="[HOST]", help="A host's name.", show_default="none")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="One of its faults.",
            show_default="all of them",
            autocompletion=_complete_kind,
        ),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Clear those of every host.")] = False,
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Clear faults: everything behaves as before."""
    from ingot.lab.faults.fault import kind_named  # noqa: PLC0415 - keeps --help fast

    if (host is None) is not everything:
        raise NothingChosen(
            "it is not clear which faults are meant", remedy="name a host, or --all"
        )
    chosen = None if kind is None else kind_named(kind)
    lab = lab_named(name)
    if host is not None:
        host_of(lab.plan(), host)
    with asking(lab) as daemon:
        cleared = daemon.clear_faults(host, chosen)
    if output is Output.JSON:
        _print_json([asdict(one) for one in cleared])
        return
    for one in cleared:
        typer.echo(f"{one.host}: {one.kind} is cleared")
    if not cleared:
        typer.echo("no such fault was set", err=True)


@app.command("kinds")
def kinds(
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """List every kind of fault there is, and what it does."""
    if output is Output.JSON:
        _print_json({kind: asdict(info) for kind, info in KINDS.items()})
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.lab import kind_table  # noqa: PLC0415 - slow to import

    results().print(kind_table())


def _show(faults: tuple[Fault, ...], output: Output, *, none: str) -> None:
    if output is Output.JSON:
        _print_json([asdict(one) for one in faults])
        return
    if not faults:
        typer.echo(none, err=True)
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.lab import fault_table  # noqa: PLC0415 - slow to import

    results().print(fault_table(faults))


def _print_json(content: object) -> None:
    from ingot.cli.building import print_json  # noqa: PLC0415 - keeps --help fast

    print_json(content)
