"""A real API server with a cluster in the midst of its bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.metal3.cluster.site import METAL3, Site
from tests.integration.metal3.served import Served, manifests
from tests.unit.metal3.cluster.seen import MANAGED


@pytest.fixture
def api(tmp_path: Path) -> Iterator[KubeApi]:
    with kube_api(tmp_path / "kube") as started:
        for definition in manifests():
            started.install(definition)
        yield started


@pytest.fixture
def site(api: KubeApi) -> Iterator[Site]:
    served = Served(api)
    made = Site(served)
    try:
        made.apply_manifests()
        kind = {"apiVersion": "metal3.io/v1alpha1", "kind": "Provisioning"}
        metadata = {"name": "provisioning-configuration"}
        made.create(f"{METAL3}/provisionings", {**kind, "metadata": metadata, "spec": MANAGED})
        made.add_node("bootstrap", "ingot.local/bootstrap")
        for number in range(3):
            made.add_host(f"cp-{number}", leads=True)
        made.add_host("worker-0", leads=False, paused="ingot-bootstrap")
        made.add_host("mine", leads=False, paused="by me")
        yield made
    finally:
        served.close()
