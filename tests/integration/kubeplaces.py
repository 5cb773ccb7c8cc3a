"""Where objects are in the API of Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.integration.kubeapi import KubeApi

__all__ = ["create", "place_of"]


def place_of(one: Mapping[str, Any]) -> str:
    """Return where the objects of a kind are, in the namespace of one of them."""
    version, kind = one["apiVersion"], one["kind"].lower()
    group = f"/apis/{version}" if "/" in version else f"/api/{version}"
    namespace = one["metadata"].get("namespace")
    within = f"/namespaces/{namespace}" if namespace else ""
    return f"{group}{within}/{kind}{'es' if kind.endswith('s') else 's'}"


def create(api: KubeApi, one: Mapping[str, Any]) -> dict[str, Any]:
    """Create an object strictly: a field that the server does not know is refused."""
    return api.request("POST", f"{place_of(one)}?fieldValidation=Strict", one)
