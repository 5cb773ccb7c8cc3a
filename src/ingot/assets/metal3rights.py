"""What the parts of metal3 may do in the cluster: each its own account, and what it needs.

All of it is in the namespace of hosts, but for two things: `Provisioning` and Nodes have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingot.assets.documents import Json
from ingot.assets.namespaces import METAL3
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.api.provisioning import DEFINITION as PROVISIONING
from ingot.metal3.api.wire import GROUP
from ingot.metal3.cluster.names import (
    AUTHORITY,
    CONFIG_SERVER,
    CONFIG_SERVER_CA,
    CONTROLLER,
    CREDENTIALS,
    IMAGES,
    POINTER_KEY,
)
from ingot.metal3.pod.manifest import NAME

__all__ = ["account", "bound", "controller_rights", "images_rights", "metal3_rights"]

RBAC: Final = "rbac.authorization.k8s.io"
LABELS: Final = {"app.kubernetes.io/part-of": "ingot"}
LOOK: Final = ("get", "list", "watch")
CHANGE: Final = ("create", "patch", "update")

Rule = tuple[str, Sequence[str], Sequence[str]]
"""A group, its resources, and what may be done with them."""


def metal3_rights() -> tuple[Json, ...]:
    """Return what the metal3 pod may do: everything with hosts and what belongs to them."""
    kinds = [one.plural for one in DEFINITIONS if one is not PROVISIONING]
    below = [f"{one}/{part}" for one in kinds for part in ("status", "finalizers")]
    rules: tuple[Rule, ...] = (
        (GROUP, kinds, (*LOOK, *CHANGE, "delete")),
        (GROUP, below, ("get", "patch", "update")),
        ("", ("secrets",), (*LOOK, "patch", "update")),
        ("", ("events",), ("create", "patch")),
        ("coordination.k8s.io", ("leases",), (*LOOK, *CHANGE)),
    )
    return (account(NAME, METAL3), *bound(NAME, METAL3, rules, account=(NAME, METAL3)))


def images_rights() -> tuple[Json, ...]:
    """Return what a copy of the images may do: find the others."""
    name = IMAGES.name
    rules: tuple[Rule, ...] = (("", ("pods",), ("list",)),)
    return (account(name, METAL3), *bound(name, METAL3, rules, account=(name, METAL3)))


def controller_rights() -> tuple[Json, ...]:
    """Return what the controller may do: run the pods, and let hosts go."""
    inside: tuple[Rule, ...] = (
        ("apps", ("deployments",), (*LOOK, *CHANGE)),
        ("", ("services", "services/status"), ("get", *CHANGE)),
        ("", ("secrets",), ("create",)),
        (GROUP, ("baremetalhosts",), (*LOOK, "patch")),
        ("coordination.k8s.io", ("leases",), (*LOOK, *CHANGE)),
        ("", ("events",), ("create", "patch")),
    )
    secrets: Rule = ("", ("secrets",), ("get", "patch"))
    own = (AUTHORITY.name, CREDENTIALS.name, POINTER_KEY.name)
    everywhere: tuple[Rule, ...] = (
        (GROUP, (PROVISIONING.plural,), LOOK),
        (GROUP, (f"{PROVISIONING.plural}/status",), ("get", "patch")),
        ("", ("nodes",), LOOK),
        # Events of what has no namespace are in `default`.
        ("", ("events",), ("create", "patch")),
    )
    who = (CONTROLLER, METAL3)
    role, binding = bound(CONTROLLER, METAL3, inside, account=who)
    role["rules"].append({**_rule(secrets), "resourceNames": list(own)})
    server: tuple[Rule, ...] = (
        secrets,
        ("", ("secrets",), ("get",)),
        ("apps", ("daemonsets",), ("get", "patch")),
    )
    server_role, server_binding = bound(CONTROLLER, CONFIG_SERVER.namespace, server, account=who)
    names = (CONFIG_SERVER.name, CONFIG_SERVER_CA.name, CONFIG_SERVER.name)
    for rule, name in zip(server_role["rules"], names, strict=True):
        rule["resourceNames"] = [name]
    return (
        account(*who),
        role,
        binding,
        server_role,
        server_binding,
        *bound(f"ingot:{CONTROLLER}", "", everywhere, account=who),
    )


def account(name: str, namespace: str) -> Json:
    """Return a service account."""
    metadata = {"name": name, "namespace": namespace, "labels": dict(LABELS)}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def bound(
    name: str, namespace: str, rules: Sequence[Rule], *, account: tuple[str, str]
) -> tuple[Json, Json]:
    """Return a role, and that an account has it.

    Args:
        name: of both.
        namespace: where it holds; empty for everywhere.
        rules: what may be done.
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
        "rules": [_rule(one) for one in rules],
    }
    binding: Json = {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": who, "namespace": home}],
    }
    return role, binding


def _rule(rule: Rule) -> Json:
    group, resources, verbs = rule
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
