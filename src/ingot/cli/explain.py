"""`ingot explain`: what a field of the install-config means."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption

if TYPE_CHECKING:
    from ingot.config.explain import FieldDoc

__all__ = ["explain"]

WIDTH = 88


def explain(
    path: Annotated[
        str, typer.Argument(help="A field, such as platform.baremetal.hosts.", show_default="all")
    ] = "",
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Explain a field of the install-config: type, default, allowed values and meaning."""
    from ingot.config.explain import children, describe  # noqa: PLC0415 - keeps --help fast

    doc = describe(path) if path else None
    below = children(doc)
    if output is Output.JSON:
        content = {"field": _as_json(doc) if doc else None, "fields": [_as_json(b) for b in below]}
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    if doc is not None:
        _print_field(doc)
    if below:
        _print_below(below)


def _as_json(doc: FieldDoc) -> dict[str, object]:
    return {
        "path": doc.path,
        "type": doc.kind,
        "default": doc.default or None,
        "allowed": list(doc.allowed),
        "meaning": doc.meaning,
        "note": doc.note or None,
    }


def _print_field(doc: FieldDoc) -> None:
    typer.echo(typer.style(doc.path, bold=True))
    for name, value in (
        ("type", doc.kind),
        ("allowed", ", ".join(doc.allowed)),
        ("default", doc.default),
        ("note", doc.note),
    ):
        if value:
            typer.echo(f"  {name + ':':<9}{value}")
    if doc.meaning:
        typer.echo()
        typer.echo(textwrap.fill(doc.meaning, WIDTH, initial_indent="  ", subsequent_indent="  "))


def _print_below(docs: list[FieldDoc]) -> None:
    typer.echo(typer.style("\nFields", bold=True))
    names = [doc.path.rpartition(".")[2] for doc in docs]
    width = min(max(len(name) for name in names), 32)
    for name, doc in zip(names, docs, strict=True):
        text = f"{doc.note}. {doc.meaning}" if doc.note else doc.meaning
        if doc.default:
            text += f" (default: {doc.default})"
        filled = textwrap.fill(
            text, WIDTH, initial_indent=f"  {name:<{width}}  ", subsequent_indent=" " * (width + 4)
        )
        typer.echo(typer.style(filled, dim=bool(doc.note)))
