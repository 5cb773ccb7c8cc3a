"""What commands about a lab have in common: its name, a host's, and their completion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.errors import ExitCode, IngotError

if TYPE_CHECKING:
    from ingot.lab.control import Control
    from ingot.lab.labs import Lab
    from ingot.lab.plan import HostPlan, LabPlan

__all__ = [
    "DEFAULT_NAME",
    "HostArgument",
    "NameOption",
    "NoSuchHost",
    "asking",
    "host_of",
    "lab_named",
]

DEFAULT_NAME = "lab"


class NoSuchHost(IngotError):  # noqa: N818 - it names what was seen
    """The lab has no host of that name."""

    exit_code = ExitCode.USAGE

    def __init__(self, lab: str, name: str, hosts: list[str]) -> None:
        from ingot.config.spelling import nearest  # noqa: PLC0415 - only where something is wrong

        near = nearest(name, hosts)
        remedy = f"did you mean {near}?" if near else f"its hosts are {', '.join(hosts)}"
        super().__init__(f"the lab {lab!r} has no host {name!r}", remedy=remedy)
        self.name = name


def lab_named(name: str) -> Lab:
    """Return a lab that exists.

    Raises:
        NoSuchLab: naming those that do.
    """
    from ingot.lab.labs import Lab, NoSuchLab, labs  # noqa: PLC0415 - keeps --help fast

    lab = Lab(name)
    if not lab.exists:
        raise NoSuchLab(name, tuple(one.name for one in labs()))
    return lab


def host_of(plan: LabPlan, name: str) -> HostPlan:
    """Return a lab's host by name.

    Raises:
        NoSuchHost: naming those it has.
    """
    host = plan.host(name)
    if host is None:
        raise NoSuchHost(plan.name, name, [one.name for one in plan.hosts])
    return host


@contextmanager
def asking(lab: Lab) -> Iterator[Control]:
    """Return the way to a lab's daemon; where that is gone, the remedy names this lab."""
    from ingot.lab.control import Control, DaemonGone  # noqa: PLC0415 - keeps --help fast

    try:
        yield Control(lab.control_socket)
    except DaemonGone as gone:
        if lab.name != DEFAULT_NAME:
            gone.remedy = gone.remedy.replace("lab start", f"lab start --name {lab.name}")
        raise


def _complete_lab(incomplete: str) -> list[str]:
    from ingot.lab.labs import labs  # noqa: PLC0415 - only when completing

    return [lab.name for lab in labs() if lab.name.startswith(incomplete)]


def _complete_host(ctx: typer.Context, incomplete: str) -> list[str]:
    from ingot.lab.labs import Lab  # noqa: PLC0415 - only when completing

    try:
        hosts = Lab(str(ctx.params.get("name") or DEFAULT_NAME)).plan().hosts
    except IngotError:
        return []
    return [host.name for host in hosts if host.name.startswith(incomplete)]


NameOption = Annotated[
    str,
    typer.Option(
        "--name", metavar="NAME", help="Which lab.", autocompletion=_complete_lab, show_default=True
    ),
]
HostArgument = Annotated[
    str, typer.Argument(metavar="HOST", help="A host's name.", autocompletion=_complete_host)
]
