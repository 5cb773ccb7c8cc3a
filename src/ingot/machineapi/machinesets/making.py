"""A new Machine of a set."""

from __future__ import annotations

import secrets
from typing import Any, Final

from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.kinds import MACHINE_SET

__all__ = ["made", "owner"]

LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
"""As Kubernetes has them: no vowels, so no words, and nothing that looks like another."""

ENDING: Final = 5
LONGEST: Final = 57
"""How much of a set's name a Machine's has, so that with its ending it fits into a label."""


def owner(found: KubeObject[MachineSet]) -> dict[str, Any]:
    """Return the reference by which a Machine belongs to a set, and goes with it."""
    return {
        "apiVersion": MACHINE_SET.api_version,
        "kind": MACHINE_SET.kind,
        "name": found.metadata.name,
        "uid": found.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def made(found: KubeObject[MachineSet]) -> Content:
    """Return a Machine made from a set's template, under a name that nothing else has."""
    # As it was written: what is not in our model is kept.
    template = found.content["spec"].get("template") or {}
    meta = template.get("metadata") or {}
    ending = "".join(secrets.choice(LETTERS) for _ in range(ENDING))
    name = found.metadata.name[:LONGEST].rstrip("-.")
    spec = dict(template.get("spec") or {})
    spec.pop("providerID", None)  # That of the first Machine would fit no other.
    return {
        "metadata": {
            "name": f"{name}-{ending}",
            "namespace": found.metadata.namespace,
            "labels": {annotation.SET: name, **(meta.get("labels") or {})},
            "annotations": dict(meta.get("annotations") or {}),
            "ownerReferences": [owner(found)],
        },
        "spec": spec,
    }
