"""Leases of the bootstrap, given back at a real API server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.node.bootstrap.leases import give_leases_back
from tests.integration.kubeapi import KubeApi, kube_api

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[KubeApi]:
    with kube_api(tmp_path) as started:
        yield started


def held(api: KubeApi, name: str) -> str:
    spec = api.request("GET", f"{LEASES}/{name}")["spec"]
    assert isinstance(spec, dict)
    return str(spec.get("holderIdentity", ""))


def test_the_bootstraps_own_are_free_and_those_of_others_are_kept(api: KubeApi) -> None:
    for name, holder in (
        ("kube-controller-manager", "lab-bootstrap_7d0af517"),
        ("kube-scheduler", "cp-0_0ecce52b"),
    ):
        spec = {"holderIdentity": holder, "leaseDurationSeconds": 60}
        api.request("POST", LEASES, {"metadata": {"name": name}, "spec": spec})

    async def given() -> None:
        async with KubeClient(from_kubeconfig(api.kubeconfig())) as client:
            await give_leases_back(client, "lab-bootstrap")

    asyncio.run(given())
    assert not held(api, "kube-controller-manager")
    assert held(api, "kube-scheduler") == "cp-0_0ecce52b"
