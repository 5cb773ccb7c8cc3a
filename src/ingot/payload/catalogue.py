"""Everything in the payload, by name: what `ingot payload build` makes and `list` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Artefact, Store
from ingot.payload.binaries import BINARIES
from ingot.payload.images import images, read_facts
from ingot.payload.source import Source, in_store

__all__ = ["PARTS", "Item", "everything", "items"]


@dataclass(frozen=True, slots=True)
class Item:
    """One binary or one container image that is in the store."""

    kind: str
    name: str
    version: str
    digest: str
    size: int
    origin: str


PARTS: dict[str, Callable[[], Recipe]] = {**BINARIES, "container-images": images}
"""One line for each part; binaries come first, since images are made from them."""


def everything() -> dict[str, Recipe]:
    """Return the recipe of each part of the payload."""
    return {name: recipe() for name, recipe in PARTS.items()}


def items(store: Store) -> tuple[list[Item], list[str]]:
    """Return what is in the store, and the names of the parts that are not.

    Nothing is asked of the network: where no binaries are there, neither are their images.
    """
    found: list[Item] = []
    missing: list[str] = []
    for name, recipe in BINARIES.items():
        artefact = in_store(store, recipe(Source.RELEASE), recipe(Source.MODULES))
        if artefact is None:
            missing.append(name)
        else:
            found += _binaries(artefact)
    artefact = None if missing else store.find(images())
    if artefact is None:
        missing.append("container-images")
    else:
        found += _images(artefact)
    return found, missing


def _binaries(artefact: Artefact) -> Iterator[Item]:
    version, origin = artefact.inputs["version"], artefact.inputs["source"]
    for name, facts in sorted(artefact.files.items()):
        shown = artefact.inputs.get(name, version)
        yield Item("binary", name, shown, f"sha256:{facts.sha256}", facts.size, origin)


def _images(artefact: Artefact) -> Iterator[Item]:
    for facts in read_facts(artefact.path):
        for name in facts.names:
            yield Item("image", name, facts.version, facts.digest, facts.size, facts.origin)
