"""`ingot lab status`, `console` and `exec`: how a lab is doing, from outside and from within."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.cli.lab.options import DEFAULT_NAME, HostArgument, NameOption, host_of, lab_named
from ingot.errors import ExitCode, IngotError

if TYPE_CHECKING:
    from ingot.lab.labs import Lab
    from ingot.lab.status import LabStatus

__all__ = ["console", "execute", "status"]

FOLLOWED_LINES = 20
"""How many lines of the past a followed console begins with, unless told."""


class NoNetwork(IngotError):  # noqa: N818 - it says what was seen
    """The lab's network is not there."""

    exit_code = ExitCode.INFRASTRUCTURE


def status(
    name: NameOption = DEFAULT_NAME,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Show each host: its power, what it boots from, what it is doing, what its console says.

    What is true is shown, whatever a BMC with a fault would say.
    """
    seen = _status(lab_named(name))
    if output is Output.JSON:
        from ingot.cli.building import print_json  # noqa: PLC0415 - keeps --help fast

        print_json(seen.model_dump(mode="json"))
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.lab import status_table  # noqa: PLC0415 - slow to import

    shown = results()
    shown.print(status_table(seen, fill=shown.is_terminal))


def _status(lab: Lab) -> LabStatus:
    """Return how a lab is doing, asked of its daemon or, where that is gone, of its machines."""
    from ingot.lab.control import Control, DaemonGone  # noqa: PLC0415 - keeps --help fast

    try:
        return Control(lab.control_socket).status()
    except DaemonGone:
        from ingot.lab.drivers import drivers_of  # noqa: PLC0415 - only where it is gone
        from ingot.lab.faults.book import FaultBook  # noqa: PLC0415 - as above
        from ingot.lab.reporting import report  # noqa: PLC0415 - as above

        plan = lab.plan()
        return report(plan, drivers_of(lab, plan), FaultBook(lab.faults), running=False)


def console(
    host: HostArgument,
    *,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on as the host says more, until Ctrl-C.")
    ] = False,
    lines: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--lines",
            min=0,
            help="How many lines of the past.",
            show_default=f"all; with --follow the last {FOLLOWED_LINES}",
        ),
    ] = None,
    name: NameOption = DEFAULT_NAME,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Print what a host's serial console has shown, firmware included."""
    from ingot.lab.consoles import follow as following  # noqa: PLC0415 - keeps --help fast
    from ingot.lab.consoles import past  # noqa: PLC0415 - as above
    from ingot.lab.drivers import drivers_of  # noqa: PLC0415 - as above

    lab = lab_named(name)
    plan = lab.plan()
    host_of(plan, host)
    log = drivers_of(lab, plan)[host].console(host)
    if lines is None and follow:
        lines = FOLLOWED_LINES
    shown = sys.stdout.buffer
    text, end = past(log, lines)
    shown.write(text)
    shown.flush()
    if not follow:
        return
    try:
        for more in following(log, end):
            shown.write(more)
            shown.flush()
    except KeyboardInterrupt:
        return  # It is how one leaves.


def execute(
    command: Annotated[
        list[str], typer.Argument(metavar="CMD...", help="The command, best after `--`.")
    ],
    name: NameOption = DEFAULT_NAME,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Run a command on the lab's network: with its addresses, its routes and its name server.

    Its exit code is returned. Only the network is the lab's; files and users are yours.
    """
    from ingot.artefact.building import NeedsRoot  # noqa: PLC0415 - keeps --help fast
    from ingot.machine import namespaces  # noqa: PLC0415 - as above

    plan = lab_named(name).plan()
    if os.geteuid() != 0:
        raise NeedsRoot(
            "only root may enter a lab's network", remedy="run the same command with sudo"
        )
    if not namespaces.exists(plan.namespace):
        raise NoNetwork(
            f"the network of the lab {name!r} is not there",
            remedy=f"run `ingot lab start --name {name}`",
        )
    sys.stdout.flush()
    program = shutil.which("ip") or "/sbin/ip"  # Where sbin is not on the user's path.
    words = [program, "netns", "exec", plan.namespace, *command]
    os.execv(program, words)  # noqa: S606 - the user's own command
