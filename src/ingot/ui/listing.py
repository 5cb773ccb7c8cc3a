"""What is in the cache, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ingot.artefact.store import Artefact
from ingot.payload.catalogue import Item
from ingot.ui.quantities import size

__all__ = ["image_table", "payload_table"]

DIGEST_SHOWN = len("sha256:") + 12
"""Enough to tell two apart; all of it is in the form for machines."""


def payload_table(items: Sequence[Item]) -> Table:
    """Return the binaries and images of the payload."""
    table = _table("name", "version", "digest", "size", "origin")
    for item in items:
        name = Text(item.name, "bold" if item.kind == "image" else "")
        digest = item.digest[:DIGEST_SHOWN]
        table.add_row(name, Text(item.version), digest, size(item.size), Text(item.origin))
    return table


def image_table(images: Mapping[str, Artefact | None]) -> Table:
    """Return the images that machines boot."""
    table = _table("image", "digest", "size", "path")
    for name, artefact in images.items():
        if artefact is None:
            table.add_row(Text(name), Text("not built", "dim"))
        else:
            digest = f"sha256:{artefact.digest}"[:DIGEST_SHOWN]
            table.add_row(Text(name), digest, size(artefact.size), Text(str(artefact.path)))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        justify = "right" if column == "size" else "left"
        table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]  # rich names its words
    return table
