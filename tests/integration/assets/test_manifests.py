"""A real API server takes every manifest, and stores all that is in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from pathlib import Path

import pytest
import yaml

from ingot.assets.onprem import static_pod_yaml
from ingot.onprem.model import Role
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.kubeplaces import create
from tests.unit.assets.clusters import PAYLOAD, cluster, install_files

KINDS = {
    "BareMetalHost",
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "Ingress",
    "IngressClass",
    "Machine",
    "MachineHealthCheck",
    "MachineSet",
    "Namespace",
    "Provisioning",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[KubeApi]:
    with kube_api(tmp_path / "kubeapi") as started:
        yield started


def holds(found: object, asked: object) -> bool:
    """Return whether all that was asked for is there; a server may add to it, or leave out a no."""
    if isinstance(asked, dict):
        return isinstance(found, dict) and all(
            holds(found[name], part) if name in found else part in (False, "")
            for name, part in asked.items()
        )
    if isinstance(asked, list):
        return isinstance(found, list) and all(starmap(holds, zip(found, asked, strict=True)))
    return found == asked


@pytest.mark.parametrize("sample", ["managed", "virtualmedia"])
def test_manifests_and_static_pods_are_taken_in_the_order_of_their_names(
    api: KubeApi, sample: str
) -> None:
    files = install_files(cluster(sample))
    kinds = set()
    for path in sorted(one for one in files if one.startswith("manifests/")):
        for one in yaml.safe_load_all(files[path]):
            kinds.add(one["kind"])
            if one["kind"] == "CustomResourceDefinition":
                api.install(one)
            else:
                assert holds(create(api, one).get("spec", {}), one.get("spec", {})), path
    assert kinds == KINDS
    for role in Role:
        pod = yaml.safe_load(static_pod_yaml(PAYLOAD, role))
        pod["metadata"]["name"] = f"onprem-{role}"
        # This API server is not told to allow it, as kubeadm's are.
        assert pod["spec"]["containers"][0].pop("securityContext") == {"privileged": True}
        assert create(api, pod)["spec"]["terminationGracePeriodSeconds"] == 65
