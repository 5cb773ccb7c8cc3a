"""The CustomResourceDefinition of a kind: made from its model, and kept as a file."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

from ingot.machineapi.api.definition import Column, Definition
from ingot.machineapi.api.wire import GROUP, VERSION

__all__ = ["crd", "rendered", "stored"]

WIDTH = 100


def stored(definition: Definition) -> str:
    """Return the CustomResourceDefinition as it was generated, for whoever installs it."""
    place = files("ingot.machineapi") / "crds" / f"{definition.plural}.yaml"
    return place.read_text(encoding="utf-8")


def crd(definition: Definition, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the CustomResourceDefinition of a kind.

    Args:
        definition: the kind.
        schema: the structural schema of its model.
    """
    names: dict[str, Any] = {
        "kind": definition.kind,
        "listKind": f"{definition.kind}List",
        "plural": definition.plural,
        "singular": definition.kind.lower(),
    }
    if definition.short_names:
        names["shortNames"] = list(definition.short_names)
    subresources: dict[str, Any] = {"status": {}}
    if definition.scale:
        subresources["scale"] = {
            "specReplicasPath": definition.scale.wanted,
            "statusReplicasPath": definition.scale.present,
            "labelSelectorPath": definition.scale.selector,
        }
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": _object_schema(schema)},
        "additionalPrinterColumns": [_column(column) for column in definition.columns],
        "subresources": subresources,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": definition.name,
            "labels": {"app.kubernetes.io/part-of": "ingot"},
        },
        "spec": {
            "group": GROUP,
            "names": names,
            "scope": "Namespaced",
            "conversion": {"strategy": "None"},
            "versions": [version],
        },
    }


def rendered(definition: Definition, schema: dict[str, Any]) -> str:
    """Return the CustomResourceDefinition as a file."""
    head = "# Generated from ingot.machineapi.api by `make generate`; change the models instead.\n"
    return head + yaml.dump(
        crd(definition, schema),
        Dumper=_WithoutAnchors,
        sort_keys=False,
        width=WIDTH,
        allow_unicode=True,
    )


def _object_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": schema["description"],
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string", "description": "The API's group and version."},
            "kind": {"type": "string", "description": "The object's kind."},
            "metadata": {"type": "object"},
            **{name: schema["properties"][name] for name in ("spec", "status")},
        },
    }


def _column(column: Column) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": column.name,
        "type": column.type,
        "jsonPath": column.path,
        "description": column.meaning,
    }
    return shown | ({"priority": column.priority} if column.priority else {})


class _WithoutAnchors(yaml.SafeDumper):
    """Writes a part out each time that it is used: kubectl and people read it more easily."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True
