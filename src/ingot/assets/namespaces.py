"""The namespaces that Ingot's own parts live in."""

from __future__ import annotations

from typing import Final

from ingot.assets.documents import Json, yaml_of
from ingot.assets.graph.files import Files

__all__ = ["INFRA", "INGRESS", "METAL3", "PATH", "namespaces"]

METAL3: Final = "metal3"
"""Hosts, their Secrets, and what drives them."""

INFRA: Final = "ingot-infra"
"""What keeps the VIPs, and the network of pods."""

INGRESS: Final = "ingot-ingress"
"""The routers of applications."""

PATH: Final = "manifests/00-namespaces.yaml"


def namespaces() -> Files:
    """Return the namespaces; all hold pods that use the network of the machine they are on."""
    return {PATH: yaml_of(*map(_namespace, (METAL3, INFRA, INGRESS)))}


def _namespace(name: str) -> Json:
    labels = {
        "app.kubernetes.io/part-of": "ingot",
        "pod-security.kubernetes.io/enforce": "privileged",
    }
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": labels},
    }
