"""What a Machine gives to its Node: an id, the Machine's name, labels, annotations and taints.

Labels, annotations and taints are added and never taken away: others write to a Node too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import MachineSpec
from ingot.machineapi.nodes import Node, NodeTaint

__all__ = ["missing_in"]


def missing_in(
    node: KubeObject[Node], spec: MachineSpec, *, machine: ObjectKey, provider_id: str
) -> dict[str, Any]:
    """Return the patch that gives a Node what it lacks; empty if it lacks nothing."""
    meta = node.metadata
    labels = _lacking(meta.labels, spec.metadata.labels)
    notes = _lacking(
        meta.annotations, {**spec.metadata.annotations, annotation.MACHINE: str(machine)}
    )
    inner: dict[str, Any] = {}
    if not node.model.spec.provider_id:
        inner["providerID"] = provider_id
    present = node.model.spec.taints
    known = {(one.key, one.effect) for one in present}
    wanted = [
        NodeTaint(key=one.key, effect=one.effect, value=one.value)
        for one in spec.taints
        if (one.key, one.effect) not in known
    ]
    if wanted:
        inner["taints"] = msgspec.to_builtins([*present, *wanted])
    outer = {name: part for name, part in (("labels", labels), ("annotations", notes)) if part}
    if not outer and not inner:
        return {}
    version = {"resourceVersion": meta.resource_version}
    return {"metadata": {**version, **outer}} | ({"spec": inner} if inner else {})


def _lacking(present: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in wanted.items() if present.get(name) != value}
