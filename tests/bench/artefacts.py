"""How long each artefact took to build, and how long a build takes when everything is cached."""

from __future__ import annotations

import sys
from pathlib import Path

from ingot.artefact.recipe import in_order
from ingot.artefact.store import Store
from ingot.osimage import catalogue as osimage
from ingot.payload import catalogue as payload
from tests.bench.timing import timed_command

RUNS = 5
LIMIT_SECONDS = 3.0


def report() -> None:
    """Print the recorded times of what is in the store, and the time of a cached build."""
    store = Store()
    wanted = (*payload.everything().values(), *osimage.everything().values())
    recipes = list(in_order(*wanted))
    total = 0.0
    print("Artefacts, as they were built last (s)")
    for recipe in recipes:
        found = store.find(recipe)
        if found is None:
            print(f"  {recipe.name:<24} not built")
            continue
        total += found.seconds
        print(f"  {recipe.name:<24} {found.seconds:7.1f}   {found.size / 1e6:7.0f} MB")
    print(f"  {'all':<24} {total:7.1f}")
    ingot = Path(sys.executable).parent / "ingot"
    for group, names in (("payload", payload.PARTS), ("image", osimage.IMAGES)):
        recipes_of = [make() for make in names.values()]
        if all(store.find(recipe) for recipe in in_order(*recipes_of)):
            timing = timed_command([ingot, group, "build", "-o", "json"], RUNS)
            print(f"  ingot {group} build, cached  {timing}   (aim: {LIMIT_SECONDS:.0f} s)")
