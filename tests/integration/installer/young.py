"""A young cluster on a real API server, where the test plays the controllers that make it whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ingot.kube.crd.manifest import crd
from ingot.machineapi.api.machine import DEFINITION as MACHINE
from ingot.machineapi.api.machineset import DEFINITION as MACHINE_SET
from ingot.machineapi.api.manifest import stored
from ingot.metal3.api.provisioning import DEFINITION as PROVISIONING
from ingot.metal3.api.provisioning import NAME
from tests.integration.installer.test_apiview import HOSTS, NOW, add_host, furnish
from tests.integration.kubeapi import KubeApi, kube_api

__all__ = ["SET", "Young", "cluster_api", "young_cluster"]

SET = "rack1-worker-0"
SETS = "/apis/machine.openshift.io/v1beta1/namespaces/metal3/machinesets"
PROVISIONINGS = "/apis/metal3.io/v1alpha1/provisionings"
OURS = {"app.kubernetes.io/part-of": "ingot"}
EVERYTHING = (
    HOSTS,
    SETS,
    PROVISIONINGS,
    "/api/v1/nodes",
    "/api/v1/namespaces/ingot-infra/configmaps",
    "/apis/apps/v1/namespaces/default/deployments",
    "/apis/apps/v1/namespaces/kube-system/deployments",
    "/apis/apps/v1/namespaces/kube-system/daemonsets",
    "/apis/apps/v1/namespaces/ingot-infra/daemonsets",
)


@dataclass
class Young:
    """A cluster that stands on its own: two workers are asked for, and nothing is made of that."""

    api: KubeApi

    def has_sets(self) -> None:
        labels = {"set": SET}
        spec = {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"providerSpec": {"value": {}}}},
        }
        kind = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet"}
        self.api.request("POST", SETS, {**kind, "metadata": {"name": SET}, "spec": spec})

    def has_ready(self, machines: int) -> None:
        self._says(f"{SETS}/{SET}", replicas=2, readyReplicas=machines, observedGeneration=1)

    def claims(self, host: str) -> None:
        found = self.api.request("GET", f"{HOSTS}/{host}")
        reference = {"kind": "Machine", "name": f"{SET}-{host}", "namespace": "metal3"}
        spec: Any = found["spec"]
        self.api.request(
            "PUT", f"{HOSTS}/{host}", {**found, "spec": {**spec, "consumerRef": reference}}
        )

    def provisions(self, host: str) -> None:
        found = self.api.request("GET", f"{HOSTS}/{host}")
        status: Any = found["status"]
        provisioning = {**status["provisioning"], "state": "provisioned"}
        self.api.request(
            "PUT",
            f"{HOSTS}/{host}/status",
            {**found, "status": {**status, "provisioning": provisioning}},
        )
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}
        self.api.request("POST", "/api/v1/nodes", {"metadata": {"name": host}})
        self._says(f"/api/v1/nodes/{host}", conditions=[ready])

    def comes_up(self) -> None:
        """Let the workers join."""
        for host in ("worker-0", "worker-1"):
            self.claims(host)
            self.provisions(host)
        self.has_ready(2)

    def has_add_ons(self) -> None:
        """Give it what kubeadm brings, which is available, and a router, which is not."""
        self._runs("kube-system", "deployments", "coredns", {})
        self._runs("kube-system", "daemonsets", "kube-proxy", {})
        self._runs("ingot-infra", "daemonsets", "router-default", OURS)
        of_another = {"app.kubernetes.io/part-of": "something-else"}
        self._runs("default", "deployments", "of-a-user", of_another)
        kind = {"apiVersion": "metal3.io/v1alpha1", "kind": "Provisioning"}
        spec = {"provisioningNetwork": "Disabled"}
        self.api.request("POST", PROVISIONINGS, {**kind, "metadata": {"name": NAME}, "spec": spec})
        self.routes(1)
        self.serves(is_available=False)
        scale = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
        place = "/apis/apps/v1/namespaces/kube-system"
        self._says(f"{place}/deployments/coredns", observedGeneration=1, **scale)
        self._says(f"{place}/daemonsets/kube-proxy", **_on_nodes(2, 2))

    def routes(self, nodes: int) -> None:
        path = "/apis/apps/v1/namespaces/ingot-infra/daemonsets/router-default"
        self._says(path, **_on_nodes(2, nodes))

    def serves(self, *, is_available: bool) -> None:
        condition = {
            "type": "Available",
            "status": str(is_available),
            "reason": "AsExpected",
            "message": "metal3 serves" if is_available else "metal3 is starting",
            "lastTransitionTime": NOW,
        }
        self._says(f"{PROVISIONINGS}/{NAME}", conditions=[condition])

    def settles(self) -> None:
        """Let everything become available."""
        self.routes(2)
        self.serves(is_available=True)

    def has_bootstrap(self, stage: str) -> None:
        """Let the bootstrap say how far it is."""
        status = json.dumps({"stage": stage, "message": "done"})
        body = {"metadata": {"name": "bootstrap"}, "data": {"status": status}}
        self.api.request("POST", "/api/v1/namespaces/ingot-infra/configmaps", body)

    def _runs(self, namespace: str, plural: str, name: str, labels: dict[str, str]) -> None:
        chosen = {"app": name}
        container = {"name": "it", "image": "registry.invalid/it"}
        template = {"metadata": {"labels": chosen}, "spec": {"containers": [container]}}
        spec = {"selector": {"matchLabels": chosen}, "template": template}
        body = {"metadata": {"name": name, "labels": labels}, "spec": spec}
        self.api.request("POST", f"/apis/apps/v1/namespaces/{namespace}/{plural}", body)

    def _says(self, path: str, **status: object) -> None:
        found = self.api.request("GET", path)
        self.api.request("PUT", f"{path}/status", {**found, "status": status})


def _on_nodes(wanted: int, available: int) -> dict[str, int]:
    return {
        "observedGeneration": 1,
        "currentNumberScheduled": wanted,
        "desiredNumberScheduled": wanted,
        "updatedNumberScheduled": wanted,
        "numberMisscheduled": 0,
        "numberReady": available,
        "numberAvailable": available,
    }


@contextmanager
def cluster_api(folder: Path) -> Iterator[KubeApi]:
    """Run an API that knows all kinds that a cluster has."""
    with kube_api(folder) as api:
        furnish(api)
        api.install(crd(PROVISIONING))
        for definition in (MACHINE, MACHINE_SET):
            api.install(yaml.safe_load(stored(definition)))
        yield api


@contextmanager
def young_cluster(api: KubeApi) -> Iterator[Young]:
    """Have one, with a control plane, two free servers, and what the hand-over has left behind."""
    for name in ("cp-0", "cp-1", "cp-2"):
        add_host(api, name, "provisioned")
    for name in ("worker-0", "worker-1"):
        add_host(api, name, "available")
    young = Young(api)
    young.has_sets()
    young.has_add_ons()
    yield young
    api.ensure_api()
    for all_of_them in EVERYTHING:
        api.request("DELETE", all_of_them)
