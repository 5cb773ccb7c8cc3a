"""How the shim is made."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe

__all__ = ["LIBRARY", "fault_shim"]

LIBRARY = "faults.so"
SOURCE = "faults.c"

FLAGS = (
    "-std=c99",
    "-D_GNU_SOURCE",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O2",
    "-fPIC",
    "-shared",
    "-s",
)


@cache
def fault_shim() -> Recipe:
    """Return the recipe of the shim: `faults.so`."""
    source = files("ingot.machine.uml.shim").joinpath(SOURCE).read_text("utf-8")

    def build(workshop: Workshop) -> None:
        # By its bare name, for where it lies must not show in the result.
        (workshop.scratch / SOURCE).write_text(source, encoding="utf-8")
        workshop.run("gcc", *FLAGS, "-o", workshop.out / LIBRARY, SOURCE)

    return Recipe(
        "fault-shim",
        build,
        inputs={"source": source, "flags": " ".join(FLAGS)},
        disk_bytes=1_000_000,
        programs={"gcc": "gcc"},
    )
