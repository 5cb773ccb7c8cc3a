"""Labs for tests, loaded as `ingot lab create` does."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from ingot.lab.loading import Loaded, load
from ingot.lab.outline import Outline
from ingot.lab.plan import LabPlan
from ingot.lab.planning import plan
from ingot.lab.words import DriverKind


def loaded(text: str = "{}", *, driver: DriverKind = DriverKind.UML, **options: object) -> Loaded:
    """Load a description."""
    return load(dedent(text).encode(), options, driver=driver)


def valid(text: str = "{}", *, driver: DriverKind = DriverKind.UML, **options: object) -> Outline:
    """Load a description that breaks no rule."""
    found = loaded(text, driver=driver, **options)
    assert found.report.errors == []
    assert found.lab is not None
    return found.lab


def planned(text: str = "{}", *, driver: DriverKind = DriverKind.UML, **options: object) -> LabPlan:
    """Plan a lab on a PC that uses no network, with passwords that are all alike."""
    lab = valid(text, driver=driver, **options)
    return plan(lab, directory=Path("/somewhere"), password=lambda: "secret")


def told(found: Loaded) -> list[tuple[str, int]]:
    """Return the rule and the line of each error."""
    return [(problem.rule, problem.line) for problem in found.report.errors]
