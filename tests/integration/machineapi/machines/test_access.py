"""The rules of RBAC are enough for all that the controllers do, and everything else is refused."""

from __future__ import annotations

import asyncio
from typing import Any

from ingot.machineapi.access import CLUSTER_RULES, NAMESPACE_RULES
from ingot.machineapi.kinds import MACHINE, MACHINE_SET, NODE, POD
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import NOBODY_TOKEN, KubeApi
from tests.integration.machineapi.machines.site import Site, site

RBAC = "rbac.authorization.k8s.io"


def grant(api: KubeApi, namespace: str) -> None:
    """Grant the rules to the user that has no rights otherwise."""
    user = {"kind": "User", "apiGroup": RBAC, "name": "nobody"}
    inside = f"/namespaces/{namespace}"
    for kind, plural, where, rules in (
        ("Role", "roles", inside, NAMESPACE_RULES),
        ("ClusterRole", "clusterroles", "", CLUSTER_RULES),
    ):
        meta = {"name": f"machines-{namespace}"}
        root = f"/apis/{RBAC}/v1{where}"
        role: dict[str, Any] = {"metadata": meta, "rules": list(rules)}
        binding = {
            "metadata": meta,
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": meta["name"]},
            "subjects": [user],
        }
        api.request("POST", f"{root}/{plural}", role)
        api.request("POST", f"{root}/{kind.lower()}bindings", binding)


@awaited()
async def test_a_set_grows_and_shrinks_with_no_more_rights_than_the_rules_give(
    machine_api: KubeApi, namespace: str
) -> None:
    await asyncio.to_thread(grant, machine_api, namespace)
    async with site(machine_api, namespace, plays_operator=True, token=NOBODY_TOKEN) as here:
        host = here.node_name("h")
        await here.host(host)
        await here.machine_set("workers", 1)
        await here.eventually(lambda: phases(here), ["Running"])
        await here.pod("web", host)
        await here.change(MACHINE_SET, "workers", spec={"replicas": 0})
        await here.eventually(lambda: phases(here), [])
        assert await here.find(NODE, host) is None
        assert await here.find(POD, "web") is None
        told = await here.events("workers")
        assert {"MachineCreated", "MachineDeleted"} <= told


async def phases(here: Site) -> list[str]:
    found = await here.client.list(MACHINE)
    return [one.model.status.phase for one in found.objects if one.key.namespace == here.namespace]
