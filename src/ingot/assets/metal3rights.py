"""What the parts of metal3 may do in the cluster: each its own account, and what it needs.

All of it is in the namespace of hosts, but for two things: `Provisioning` and Nodes have none.
"""

from __future__ import annotations

from typing import Final

from ingot.assets.documents import Json
from ingot.assets.namespaces import METAL3
from ingot.assets.rights import Rule, account, bound
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.api.provisioning import DEFINITION as PROVISIONING
from ingot.metal3.api.wire import GROUP
from ingot.metal3.cluster.names import (
    CONFIG_SERVER,
    CONFIG_SERVER_CA,
    CONTROLLER,
    IMAGES,
    INGRESS,
    INGRESS_CA,
)
from ingot.metal3.pod.manifest import NAME

__all__ = ["controller_rights", "images_rights", "metal3_rights"]

LOOK: Final = ("get", "list", "watch")
CHANGE: Final = ("create", "patch", "update")


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
        # Pointer configs are called as their hosts are, which nobody knows beforehand, and a right
        # cannot be had by label. So it holds for BMCs' passwords too. It is no more than what a
        # Deployment gives who may make one: pods with any Secret, and with the account of metal3.
        ("", ("secrets",), ("create", "get", "patch")),
        (GROUP, ("baremetalhosts",), (*LOOK, "patch")),
        ("coordination.k8s.io", ("leases",), (*LOOK, *CHANGE)),
        ("", ("events",), ("create", "patch")),
    )
    secrets: Rule = ("", ("secrets",), ("get", "patch"))
    everywhere: tuple[Rule, ...] = (
        (GROUP, (PROVISIONING.plural,), LOOK),
        (GROUP, (f"{PROVISIONING.plural}/status",), ("get", "patch")),
        ("", ("nodes",), LOOK),
        # Events of what has no namespace are in `default`.
        ("", ("events",), ("create", "patch")),
    )
    who = (CONTROLLER, METAL3)
    role, binding = bound(CONTROLLER, METAL3, inside, account=who)
    server: tuple[Rule, ...] = (
        secrets,
        ("", ("secrets",), ("get",)),
        ("apps", ("daemonsets",), ("get", "patch")),
    )
    server_role, server_binding = bound(CONTROLLER, CONFIG_SERVER.namespace, server, account=who)
    names = (CONFIG_SERVER.name, CONFIG_SERVER_CA.name, CONFIG_SERVER.name)
    ingress: tuple[Rule, ...] = (secrets, ("", ("secrets",), ("get",)))
    router_role, router_binding = bound(CONTROLLER, INGRESS.namespace, ingress, account=who)
    for one, named in ((server_role, names), (router_role, (INGRESS.name, INGRESS_CA.name))):
        for rule, name in zip(one["rules"], named, strict=True):
            rule["resourceNames"] = [name]
    return (
        account(*who),
        role,
        binding,
        server_role,
        server_binding,
        router_role,
        router_binding,
        *bound(f"ingot:{CONTROLLER}", "", everywhere, account=who),
    )
