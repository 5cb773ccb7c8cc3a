"""Plans of labs for tests, made as `ingot lab create` makes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ingot.lab.loading import load
from ingot.lab.plan import LabPlan
from ingot.lab.planning import Taken, plan
from ingot.lab.words import DriverKind


def planned(
    text: str = "", *, name: str = "test", directory: Path = Path(), taken: Sequence[Taken] = ()
) -> LabPlan:
    """Return the plan of a lab.yaml; without anything said, of a control plane and a worker."""
    said = text or "controlPlane: 1\nworkers: 1\n"
    loaded = load(f"name: {name}\n{said}".encode(), {}, driver=DriverKind.UML)
    assert loaded.report.valid, loaded.report.problems
    assert loaded.lab is not None
    return plan(loaded.lab, directory=directory, taken=taken)
