"""Accounts of our parts, and what each may do, as objects of RBAC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingot.assets.documents import Json

__all__ = ["Rule", "account", "bound", "rule_of"]

RBAC: Final = "rbac.authorization.k8s.io"
LABELS: Final = {"app.kubernetes.io/part-of": "ingot"}

Rule = tuple[str, Sequence[str], Sequence[str]]
"""A group, its resources, and what may be done with them."""


def account(name: str, namespace: str) -> Json:
    """Return a service account."""
    metadata = {"name": name, "namespace": namespace, "labels": dict(LABELS)}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def bound(
    name: str, namespace: str, rules: Sequence[Rule | Json], *, account: tuple[str, str]
) -> tuple[Json, Json]:
    """Return a role, and that an account has it.

    Args:
        name: of both.
        namespace: where it holds; empty for everywhere.
        rules: what may be done, in short or as RBAC has it.
        account: whose it is, by name and namespace.
    """
    kind = "Role" if namespace else "ClusterRole"
    where = {"namespace": namespace} if namespace else {}
    metadata = {"name": name, **where, "labels": dict(LABELS)}
    who, home = account
    role: Json = {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": metadata,
        "rules": [one if isinstance(one, dict) else rule_of(one) for one in rules],
    }
    binding: Json = {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": who, "namespace": home}],
    }
    return role, binding


def rule_of(rule: Rule) -> Json:
    """Return a rule as RBAC has it."""
    group, resources, verbs = rule
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
