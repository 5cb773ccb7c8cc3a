"""Where binaries come from: a project's release, or its modules, compiled here.

A released and a compiled binary differ, so the source is part of the key. Left to itself the choice
must not swing with the network, or every image made from the binaries would be built again:

1. what is asked for, by argument or by INGOT_PAYLOAD_SOURCE, is done;
2. else what is in the store is used, from either source, and a release if there are both;
3. else a release is taken where it can be reached, and modules where it cannot.

A choice holds for the whole process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum

from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Artefact, Store
from ingot.errors import IngotError

__all__ = ["VARIABLE", "Source", "choose", "in_store"]

VARIABLE = "INGOT_PAYLOAD_SOURCE"


class Source(StrEnum):
    """How to get a binary."""

    AUTO = "auto"
    RELEASE = "release"
    MODULES = "modules"


_CHOSEN: dict[tuple[str, str, str], Source] = {}
"""What was chosen before in this process, for a store and the two keys."""


def choose(
    source: Source, *, release: Recipe, modules: Recipe, reachable: Callable[[], bool]
) -> Recipe:
    """Return one of two recipes of the same thing.

    Args:
        source: what the caller asks for.
        release: how it is got from its project's release.
        modules: how it is built from its modules.
        reachable: tells whether the release can be had; only called when it matters.

    Raises:
        IngotError: INGOT_PAYLOAD_SOURCE is none of the sources.
    """
    recipes = {Source.RELEASE: release, Source.MODULES: modules}
    asked = _asked() if source is Source.AUTO else source
    if asked is not Source.AUTO:
        return recipes[asked]
    store = Store()
    place = (str(store.root), release.key, modules.key)
    if place not in _CHOSEN:
        found = in_store(store, release, modules)
        if found is not None:
            _CHOSEN[place] = Source(found.inputs["source"])
        else:
            _CHOSEN[place] = Source.RELEASE if reachable() else Source.MODULES
    return recipes[_CHOSEN[place]]


def in_store(store: Store, release: Recipe, modules: Recipe) -> Artefact | None:
    """Return what is in the store: what is asked for by the environment, else a release first."""
    asked = _asked()
    wanted = {Source.RELEASE: (release,), Source.MODULES: (modules,)}.get(asked, (release, modules))
    return next((found for recipe in wanted if (found := store.find(recipe))), None)


def _asked() -> Source:
    word = os.environ.get(VARIABLE) or Source.AUTO
    try:
        return Source(word)
    except ValueError:
        raise IngotError(
            f"{VARIABLE} is {word!r}",
            remedy=f"set it to one of {', '.join(Source)}, or not at all",
        ) from None
