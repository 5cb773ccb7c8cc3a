"""`ingot lab start`, `stop`, `destroy`, `list` and `power`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

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

__all__ = ["destroy", "list_", "power", "start", "stop"]


class PowerWord(StrEnum):
    """What can be done to a host's power."""

    ON = "on"
    OFF = "off"
    CYCLE = "cycle"
    SOFT = "soft"
    RESET = "reset"


REDFISH_WORDS = {
    PowerWord.ON: "On",
    PowerWord.OFF: "ForceOff",
    PowerWord.CYCLE: "PowerCycle",
    PowerWord.SOFT: "GracefulShutdown",
    PowerWord.RESET: "ForceRestart",
}
DONE = {
    PowerWord.ON: "powered on",
    PowerWord.OFF: "powered off, its plug pulled",
    PowerWord.CYCLE: "powered off and on",
    PowerWord.SOFT: "asked to power itself off",
    PowerWord.RESET: "reset",
}


def power(
    host: HostArgument,
    action: Annotated[
        PowerWord,
        typer.Argument(
            help="on; off pulls the plug; cycle is off and on; soft asks what runs there to power "
            "itself off; reset starts over without asking."
        ),
    ],
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Switch a host's power as its BMC would, with whatever faults that has."""
    from ingot.lab.chassis import PowerAction  # noqa: PLC0415 - keeps --help fast

    lab = lab_named(name)
    host_of(lab.plan(), host)
    with asking(lab) as daemon:
        daemon.power(host, PowerAction(REDFISH_WORDS[action]))
    _tell({"lab": name, "host": host, "action": action.value}, f"{host}: {DONE[action]}", output)


def start(
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Start a lab that was stopped, was killed, or lost its networks with a restart of the PC.

    Hosts that run are found as they are. Hosts that `stop` switched off are on again.
    """
    from ingot.cli.building import ended_by_signals  # noqa: PLC0415 - keeps --help fast
    from ingot.lab import lifecycle  # noqa: PLC0415 - as above
    from ingot.ui.lab import creating  # noqa: PLC0415 - slow to import

    lab = lab_named(name)
    with ended_by_signals(), creating(name) as watching:
        lifecycle.start(lab, watcher=watching.builds, on_step=watching.step)
    _tell({"lab": name, "running": True}, f"the lab {name!r} is running", output)


def stop(
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Stop a lab: hosts lose their power, disks are kept."""
    from ingot.lab import lifecycle  # noqa: PLC0415 - keeps --help fast
    from ingot.ui.lab import working  # noqa: PLC0415 - slow to import

    lab = lab_named(name)
    with working(f"stopping the lab {name!r}"):
        lifecycle.stop(lab)
    _tell({"lab": name, "running": False}, f"the lab {name!r} is stopped", output)


def destroy(
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Remove a lab with everything that was made for it; nothing is done where there is none.

    The install-config.yaml in --dir is yours, and stays.
    """
    from ingot.lab import lifecycle  # noqa: PLC0415 - keeps --help fast
    from ingot.ui.lab import working  # noqa: PLC0415 - slow to import

    with working(f"removing the lab {name!r}"):
        there_was = lifecycle.destroy(name)
    said = f"the lab {name!r} is gone" if there_was else f"there is no lab {name!r}"
    _tell({"lab": name, "destroyed": there_was}, said, output)


def list_(
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """List the labs on this PC."""
    from ingot.lab.labs import labs  # noqa: PLC0415 - keeps --help fast
    from ingot.lab.summaries import summary  # noqa: PLC0415 - as above

    found = [summary(lab) for lab in labs()]
    if output is Output.JSON:
        from ingot.cli.building import print_json  # noqa: PLC0415 - keeps --help fast

        print_json([one.as_json() for one in found])
        return
    if not found:
        typer.echo("there are no labs; `ingot lab create` makes one", err=True)
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.lab import lab_table  # noqa: PLC0415 - slow to import

    results().print(lab_table(found))


def _tell(content: dict[str, object], text: str, output: Output) -> None:
    if output is Output.JSON:
        from ingot.cli.building import print_json  # noqa: PLC0415 - keeps --help fast

        print_json(content)
    else:
        typer.echo(text)
