"""An API server, and a cluster of three nodes whose gateways have the manifest's rights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.hostgateway.manifest import NAME, NAMESPACE, manifest
from ingot.payload.binaries import cni_plugins
from tests.integration.hostgateway.clusters import CLUSTER_NETWORKS, Cluster, clustered
from tests.integration.hostgateway.pods import Pod
from tests.integration.hostgateway.talking import listening
from tests.integration.kubeapi import KubeApi, kube_api

PATHS = {
    "ServiceAccount": f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "DaemonSet": f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets",
}


@dataclass(frozen=True)
class Installed:
    """An API server that has taken the manifest.

    Attributes:
        kubeconfig: with the rights of the manifest's service account.
        objects: what the server made of the manifest's, by kind.
    """

    api: KubeApi
    kubeconfig: Path
    objects: dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    with kube_api(tmp_path_factory.mktemp("kubeapi")) as api:
        api.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        text = manifest("ingot.local/onprem:0.1.0", "127.0.0.1", 6443, [*CLUSTER_NETWORKS.values()])
        objects = {
            one["kind"]: api.request("POST", PATHS[one["kind"]], one)
            for one in yaml.safe_load_all(text)
        }
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token: dict[str, Any] = api.request(
            "POST", f"{PATHS['ServiceAccount']}/{NAME}/token", asked
        )
        content = json.loads(api.kubeconfig().read_text())
        content["users"][0]["user"]["token"] = token["status"]["token"]
        path = api.folder / "kubeconfig-gateway"
        path.write_text(json.dumps(content))
        yield Installed(api, path, objects)


@pytest.fixture(scope="session")
def plugins() -> Path:
    """Return the folder of the CNI plugins that the node image has; compiled, if not yet."""
    return make(Store(), [cni_plugins()], Silent())[-1].artefact.path


@pytest.fixture(scope="module")
def cluster(
    installed: Installed, plugins: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """Three dual-stack nodes. Tests leave them as they found them."""
    folder = tmp_path_factory.mktemp("cluster")
    with clustered(installed.api, installed.kubeconfig, folder, plugins) as made:
        yield made


@pytest.fixture(scope="module")
def pods(cluster: Cluster) -> Iterator[dict[str, Pod]]:
    """A pod on each node, that listens."""
    made = {name: cluster.runtime(name).add("pod") for name in cluster.names}
    try:
        with (
            listening(made["a"].space),
            listening(made["b"].space),
            listening(made["c"].space),
        ):
            yield made
    finally:
        for pod in made.values():
            pod.remove()
