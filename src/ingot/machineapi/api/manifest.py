"""The CustomResourceDefinitions of the Machine API, as they were generated."""

from __future__ import annotations

from importlib.resources import files

from ingot.kube.crd.definition import Definition

__all__ = ["stored"]


def stored(definition: Definition) -> str:
    """Return the CustomResourceDefinition of a kind, for whoever installs it."""
    place = files("ingot.machineapi") / "crds" / f"{definition.plural}.yaml"
    return place.read_text(encoding="utf-8")
