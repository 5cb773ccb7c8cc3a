"""The definitions of the kinds that Ingot brings along."""

from __future__ import annotations

from ingot.assets.graph.files import Files
from ingot.kube.crd.manifest import rendered
from ingot.machineapi.api.kinds import DEFINITIONS as MACHINES
from ingot.metal3.api.kinds import DEFINITIONS as HOSTS

__all__ = ["crds"]


def crds() -> Files:
    """Return a file for each kind."""
    return {
        f"manifests/10-crd-{definition.plural}.yaml": rendered(definition).encode()
        for definition in (*HOSTS, *MACHINES)
    }
