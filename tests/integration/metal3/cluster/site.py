"""A cluster in the midst of its bootstrap, on a real API server.

Whoever tests plays the parts that are not there: kubelets, the scheduler, and Deployments'
controller.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ingot.assets.clusterconfigserver import (
    PATH as SERVER_PATH,
)
from ingot.assets.clusterconfigserver import (
    SECRET_PATH,
    cluster_config_server,
    config_server_secret,
)
from ingot.assets.ingress import CERTIFICATE_PATH, ingress
from ingot.assets.metal3cluster import PATH, metal3_cluster
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.served import Served
from tests.unit.assets.clusters import PAYLOAD, cluster, install_files

Json = dict[str, Any]
WITHIN = 60.0
METAL3 = "/apis/metal3.io/v1alpha1"
HOSTS = f"{METAL3}/namespaces/metal3/baremetalhosts"
PROVISIONING = f"{METAL3}/provisionings/provisioning-configuration"
DEPLOYMENTS = "/apis/apps/v1/namespaces/metal3/deployments"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PATHS = {
    "ClusterRole": f"{RBAC}/clusterroles",
    "ClusterRoleBinding": f"{RBAC}/clusterrolebindings",
    "ConfigMap": "/api/v1/namespaces/metal3/configmaps",
    "DaemonSet": "/apis/apps/v1/namespaces/metal3/daemonsets",
    "Deployment": DEPLOYMENTS,
    "Role": f"{RBAC}/namespaces/metal3/roles",
    "RoleBinding": f"{RBAC}/namespaces/metal3/rolebindings",
    "Secret": "/api/v1/namespaces/metal3/secrets",
    "ServiceAccount": "/api/v1/namespaces/metal3/serviceaccounts",
}
APPLICATIONS = "/api/v1/namespaces/ingot-ingress/secrets/router-certs-default"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
PAUSED = "baremetalhost.metal3.io/paused"


@dataclass
class Site:
    """A cluster in the midst of its bootstrap."""

    served: Served

    def get(self, path: str) -> Json | None:
        code, found = self.served.ask("GET", path)
        return found if code == 200 else None

    def create(self, path: str, body: Json) -> None:
        code, found = self.served.ask("POST", f"{path}?fieldValidation=Strict", body)
        assert code in {200, 201}, found

    def patch(self, path: str, body: Json) -> None:
        code, found = self.served.ask("PATCH", path, body)
        assert code == 200, found

    def apply_manifests(self) -> None:
        for name in ("metal3", "ingot-infra", "ingot-ingress"):
            self.create("/api/v1/namespaces", {"metadata": {"name": name}})
        config = cluster()
        files = install_files(config)
        for one in (
            *yaml.safe_load_all(metal3_cluster(config, PAYLOAD)[PATH]),
            *yaml.safe_load_all(config_server_secret(config, PAYLOAD, files)[SECRET_PATH]),
            *yaml.safe_load_all(cluster_config_server(config, PAYLOAD, files)[SERVER_PATH]),
            *yaml.safe_load_all(ingress(config, files, image="")[CERTIFICATE_PATH]),
        ):
            place = PATHS[one["kind"]]
            where = one["metadata"].get("namespace", "")
            self.create(place.replace("/metal3/", f"/{where}/"), one)

    def add_node(self, name: str, label: str = CONTROL_PLANE) -> None:
        self.create("/api/v1/nodes", {"metadata": {"name": name, "labels": {label: ""}}})
        ready = {"type": "Ready", "status": "True"}
        self.patch(f"/api/v1/nodes/{name}/status", {"status": {"conditions": [ready]}})

    def add_host(self, name: str, *, leads: bool, paused: str = "") -> None:
        label = {"installer.openshift.io/role": "control-plane"} if leads else {}
        annotations = {PAUSED: paused} if paused else {}
        metadata = {"name": name, "labels": label, "annotations": annotations}
        self.create(HOSTS, {"metadata": metadata, "spec": {"online": True}} | HOST_KIND)

    def deployment(self, name: str) -> Json | None:
        return self.get(f"{DEPLOYMENTS}/{name}")

    def replicas(self, name: str) -> int | None:
        found = self.deployment(name)
        return found["spec"]["replicas"] if found else None

    def roll_out(self, name: str) -> None:
        """Do what the controller of Deployments and kubelets would do."""
        found = self.deployment(name)
        assert found is not None
        count = found["spec"]["replicas"]
        status = {
            "observedGeneration": found["metadata"]["generation"],
            "replicas": count,
            "updatedReplicas": count,
            "readyReplicas": count,
            "availableReplicas": count,
        }
        self.patch(f"{DEPLOYMENTS}/{name}/status", {"status": status})

    def conditions(self) -> dict[str, str]:
        found = self.get(PROVISIONING) or {}
        listed = found.get("status", {}).get("conditions", ())
        return {one["type"]: f"{one['status']} {one['reason']}" for one in listed}

    def annotations(self, host: str) -> Json:
        found = self.get(f"{HOSTS}/{host}")
        assert found is not None
        noted: Json = found["metadata"].get("annotations", {})
        return noted


HOST_KIND = {"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost"}


def account(api: KubeApi, site: Site) -> Path:
    """Return a kubeconfig of the controller's own account."""
    path = "/api/v1/namespaces/metal3/serviceaccounts/metal3-controller/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    code, answer = site.served.ask("POST", path, asked)
    assert code == 201, answer
    config = json.loads(api.kubeconfig().read_text())
    config["users"][0]["user"] = {"token": answer["status"]["token"]}
    kubeconfig = api.folder / "controller.kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    return kubeconfig
