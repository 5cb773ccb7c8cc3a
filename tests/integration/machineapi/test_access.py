"""With the rights that are declared, and no more, approving and healing do their work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ingot.kube.joiners import JOINERS, group_of
from ingot.machineapi import access as machines
from ingot.machineapi.approving import access as approving
from ingot.machineapi.approving.request import REQUESTS
from ingot.machineapi.approving.room import ApprovingRoom
from ingot.machineapi.healing import access as healing
from ingot.machineapi.healing.checks import CheckRoom
from ingot.machineapi.healing.healings import HealingRoom
from ingot.machineapi.healing.kinds import HEALTH_CHECK
from ingot.machineapi.healing.record import RECORD
from ingot.machineapi.kinds import HOST, MACHINE
from tests.integration.kube.widgets import awaited, connected
from tests.integration.kubeapi import NOBODY_TOKEN, KubeApi
from tests.integration.machineapi.asking import asked
from tests.integration.machineapi.clinic import Clinic, clinic
from tests.unit.machineapi.approving.asking import csr

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SILENT = [{"type": "Ready", "status": "Unknown", "timeout": "0"}]


def given(api: KubeApi, at: Clinic) -> None:
    """Give the rights that are declared to a user who has none."""
    inside = f"{RBAC}/namespaces/{at.namespace}"
    own = (*machines.NAMESPACE_RULES, *healing.NAMESPACE_RULES)
    wide = (*machines.CLUSTER_RULES, *approving.CLUSTER_RULES, *healing.CLUSTER_RULES)
    _bound(api, inside, "Role", at.namespace, own)
    _bound(api, RBAC, "ClusterRole", at.namespace, wide)


def _bound(api: KubeApi, root: str, kind: str, name: str, rules: Sequence[dict[str, Any]]) -> None:
    group = "rbac.authorization.k8s.io"
    meta = {"name": name}
    api.request("POST", f"{root}/{kind.lower()}s", {"metadata": meta, "rules": list(rules)})
    binding = {
        "metadata": meta,
        "roleRef": {"apiGroup": group, "kind": kind, "name": name},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "nobody"}],
    }
    api.request("POST", f"{root}/{kind.lower()}bindings", binding)


@awaited()
async def test_the_rights_that_are_declared_are_enough(machine_kube: KubeApi) -> None:
    rooms = (ApprovingRoom, CheckRoom, HealingRoom)
    async with clinic(machine_kube) as at, connected(machine_kube, token=NOBODY_TOKEN) as nobody:
        await asyncio.to_thread(given, machine_kube, at)
        async with at.running(*rooms, client=nobody):
            await _approves(machine_kube, at)
            await _heals(at)
        told = {reason for reason, _, _ in await at.events()}
        assert "Healed" in told, "events may be written"


async def _approves(api: KubeApi, at: Clinic) -> None:
    await at.machine("allowed", joined=False)
    groups = ["system:masters", "system:bootstrappers", group_of("allowed")]
    pem = csr("system:node:allowed")
    name = await asyncio.to_thread(asked, api, "system:bootstrap:abcdef", groups, pem)
    await at.becomes(REQUESTS, name, lambda one: bool(one.get("status", {}).get("conditions")))


async def _heals(at: Clinic) -> None:
    await at.machine("sick")
    await at.node("sick", ready="Unknown", boot="first")
    spec = {"selector": {}, "unhealthyConditions": SILENT}
    meta = {"name": "all", "namespace": at.namespace}
    await at.client.create(HEALTH_CHECK, {"metadata": meta, "spec": spec})
    await at.becomes(MACHINE, "sick", lambda one: 'seenOn": "2' in _record(one))
    await at.power("sick", on=False)
    await at.becomes(MACHINE, "sick", lambda one: "Starting" in _record(one))
    await at.becomes(HOST, "sick", lambda one: not one["metadata"].get("annotations"))
    await at.power("sick", on=True)
    await at.node("sick", ready="True", boot="second")
    await at.becomes(MACHINE, "sick", lambda one: not _record(one))


def _record(machine: dict[str, Any]) -> str:
    found: str = machine["metadata"].get("annotations", {}).get(RECORD, "")
    return found


JOINING = [
    ("create", "certificates.k8s.io", "certificatesigningrequests", "", "", True),
    ("watch", "certificates.k8s.io", "certificatesigningrequests", "", "", True),
    ("get", "", "nodes", "", "", True),
    ("get", "", "configmaps", "kubeadm-config", "kube-system", True),
    ("get", "", "configmaps", "kubelet-config", "kube-system", True),
    ("get", "", "configmaps", "kube-proxy", "kube-system", True),
    ("get", "", "configmaps", "other", "kube-system", False),
    ("get", "", "secrets", "any", "kube-system", False),
    ("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient", "", "", False),
    ("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient", "", "", False),
]


@pytest.fixture(scope="module")
def _joiners(machine_kube: KubeApi) -> None:
    for one in approving.joiners_rights():
        namespace = one["metadata"].get("namespace", "")
        root = f"{RBAC}/namespaces/{namespace}" if namespace else RBAC
        machine_kube.request("POST", f"{root}/{one['kind'].lower()}s", one)


@pytest.mark.usefixtures("_joiners")
@pytest.mark.parametrize("case", JOINING, ids=lambda one: f"{one[0]} {one[2]} {one[3]}".strip())
def test_a_server_that_joins_may_ask_and_is_not_approved_unseen(
    machine_kube: KubeApi, case: tuple[str, str, str, str, str, bool]
) -> None:
    verb, group, resource, name, namespace, allowed = case
    main, _, sub = resource.partition("/")
    wish = {
        "verb": verb,
        "group": group,
        "resource": main,
        "subresource": sub,
        "name": name,
        "namespace": namespace,
    }
    who = {"user": "system:bootstrap:abcdef", "groups": [JOINERS]}
    review = {"spec": {**who, "resourceAttributes": wish}}
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    status = machine_kube.request("POST", path, review)["status"]
    assert isinstance(status, dict)
    assert status["allowed"] is allowed
