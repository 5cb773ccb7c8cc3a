"""`ingot graph`: what is made from what."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ingot.cli.invocation import DirOption, LogLevelOption

__all__ = ["graph"]


class Form(StrEnum):
    """How the graph is told."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"


class Target(StrEnum):
    """What can be asked for."""

    MANIFESTS = "manifests"
    IGNITION_CONFIGS = "ignition-configs"
    CLUSTER = "cluster"


def graph(
    target: Annotated[Target, typer.Argument(help="What is to be made.")] = Target.CLUSTER,
    output: Annotated[
        Form,
        typer.Option("-o", "--output", help="A tree (text), for machines (json), for Graphviz."),
    ] = Form.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Draw which files are made from which: a change is followed by everything above it."""
    from ingot.assets import catalogue  # noqa: PLC0415 - keeps --help fast
    from ingot.assets.graph import drawing  # noqa: PLC0415 - as above
    from ingot.cli.building import print_json  # noqa: PLC0415 - as above

    drawn = catalogue.graph()
    if output is Form.JSON:
        print_json(drawing.as_json(drawn, target.value))
        return
    lines = drawing.as_tree if output is Form.TEXT else drawing.as_dot
    for line in lines(drawn, target.value):
        typer.echo(line)
