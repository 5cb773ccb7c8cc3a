"""The CustomResourceDefinition of a kind, made from its model."""

from __future__ import annotations

from typing import Any

import yaml

from ingot.kube.crd.definition import Column, Definition
from ingot.kube.crd.structural import Schema, structural_schema

__all__ = ["crd", "object_schema", "rendered"]

WIDTH = 100


def crd(definition: Definition) -> dict[str, Any]:
    """Return the CustomResourceDefinition of a kind."""
    names: dict[str, Any] = {
        "kind": definition.kind,
        "listKind": f"{definition.kind}List",
        "plural": definition.plural,
        "singular": definition.kind.lower(),
    }
    if definition.short_names:
        names["shortNames"] = list(definition.short_names)
    version: dict[str, Any] = {
        "name": definition.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": object_schema(definition)},
    }
    if definition.columns:
        version["additionalPrinterColumns"] = [_column(column) for column in definition.columns]
    subresources: dict[str, Any] = {"status": {}} if definition.has_status else {}
    if definition.scale:
        subresources["scale"] = {
            "specReplicasPath": definition.scale.wanted,
            "statusReplicasPath": definition.scale.present,
            "labelSelectorPath": definition.scale.selector,
        }
    if subresources:
        version["subresources"] = subresources
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": definition.name,
            "labels": {"app.kubernetes.io/part-of": "ingot"},
        },
        "spec": {
            "group": definition.group,
            "names": names,
            "scope": definition.scope.value,
            "conversion": {"strategy": "None"},
            "versions": [version],
        },
    }


def object_schema(definition: Definition) -> Schema:
    """Return the schema of a kind's objects, whose metadata is the API server's own business."""
    schema = structural_schema(definition.model)
    ours = {name: part for name, part in schema["properties"].items() if name in ("spec", "status")}
    return {
        "description": schema["description"],
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string", "description": "The API's group and version."},
            "kind": {"type": "string", "description": "The object's kind."},
            "metadata": {"type": "object"},
            **ours,
        },
    }


def rendered(definition: Definition) -> str:
    """Return the CustomResourceDefinition as a file."""
    source = definition.model.__module__.rpartition(".")[0]
    head = f"# Generated from {source} by `make generate`; change the models instead.\n"
    return head + yaml.dump(
        crd(definition), Dumper=_WithoutAnchors, sort_keys=False, width=WIDTH, allow_unicode=True
    )


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
