"""The routers of applications, as they are asked for."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from fnmatch import fnmatch

import pytest

from ingot.assets import ingress, traefik
from ingot.assets.namespaces import INGRESS
from ingot.assets.routerpod import FALLBACK, NAME, Place, placement
from ingot.onprem.monitor import duties
from ingot.onprem.monitor.options import DEFAULT_ROUTER
from tests.unit.assets.clusters import Tree, cluster, install_files, objects, platform_with

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
WORKER: Mapping[str, str] = {"kubernetes.io/os": "linux"}
LEADER = {**WORKER, CONTROL_PLANE: ""}
BOOTSTRAP = {**LEADER, "ingot.local/bootstrap": ""}


def without_workers(tree: Tree) -> None:
    tree["compute"][0]["replicas"] = 0


def made(**fields: object) -> dict[tuple[str, str], Tree]:
    config = cluster(change=platform_with(**fields))
    files = install_files(config)
    return objects({path: files[path] for path in (ingress.PATH, ingress.CERTIFICATE_PATH)})


def pod_of(found: Mapping[tuple[str, str], Tree]) -> Tree:
    pod: Tree = found["DaemonSet", NAME]["spec"]["template"]["spec"]
    return pod


def is_placed(part: Tree, labels: Mapping[str, str]) -> bool:
    """Return whether a pod may be on a node; one of the control plane has kubeadm's taint."""
    affinity = part["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = affinity["nodeSelectorTerms"]
    wanted = all(
        (one["key"] in labels) is {"Exists": True, "DoesNotExist": False}[one["operator"]]
        for one in term["matchExpressions"]
    )
    tolerated = {one["key"] for one in part.get("tolerations", ())}
    return wanted and (CONTROL_PLANE not in labels or CONTROL_PLANE in tolerated)


@pytest.mark.parametrize(
    ("place", "there"),
    [
        (Place.WORKERS, (True, False, False)),
        (Place.CONTROL_PLANE, (False, True, False)),
        (Place.EVERYWHERE, (True, True, False)),
    ],
)
def test_a_router_is_placed_on_workers_or_control_plane_and_never_on_the_bootstrap(
    place: Place, there: tuple[bool, bool, bool]
) -> None:
    part = placement(place)
    assert tuple(is_placed(part, labels) for labels in (WORKER, LEADER, BOOTSTRAP)) == there


def routers(change: Callable[[Tree], None] | None) -> dict[tuple[str, str], Tree]:
    files = install_files(cluster(change=change))
    found = objects({ingress.PATH: files[ingress.PATH]})
    return {key: one for key, one in found.items() if key[0] in ("DaemonSet", "Deployment")}


def test_with_workers_each_has_a_router_and_the_control_plane_one_for_all_its_nodes() -> None:
    found = routers(None)
    assert set(found) == {("DaemonSet", NAME), ("Deployment", FALLBACK)}
    assert not is_placed(pod_of(found), LEADER)
    spec = found["Deployment", FALLBACK]["spec"]
    assert spec["replicas"] == 1
    assert is_placed(spec["template"]["spec"], LEADER)
    assert not is_placed(spec["template"]["spec"], WORKER)


def test_without_workers_every_node_has_a_router() -> None:
    found = routers(without_workers)
    assert set(found) == {("DaemonSet", NAME)}
    assert is_placed(pod_of(found), LEADER)
    assert is_placed(pod_of(found), WORKER)


def test_no_pod_is_counted_by_both_and_the_service_has_all() -> None:
    files = install_files(cluster())
    found = objects({ingress.PATH: files[ingress.PATH]})
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in routers(None).values()]
    selectors = [one["spec"]["selector"]["matchLabels"] for one in routers(None).values()]
    chosen = [[each.items() <= one.items() for one in labels] for each in selectors]
    assert chosen == [[True, False], [False, True]]
    wanted = found["Service", NAME]["spec"]["selector"]
    assert all(wanted.items() <= one.items() for one in labels)


@pytest.mark.parametrize("name", [NAME, FALLBACK])
def test_a_nodes_monitor_knows_the_router_as_the_default_one(name: str) -> None:
    folder = f"/var/log/pods/{INGRESS}_{name}-x7k2p_0a1b2c3d"
    assert fnmatch(folder, DEFAULT_ROUTER)


def test_health_is_where_a_nodes_monitor_asks_for_it() -> None:
    assert f"--entryPoints.health.address=:{duties.ROUTER_PORT}" in traefik.arguments(
        "192.0.2.6", "/file", traefik.Ports()
    )


def test_ingresses_are_told_the_ingress_vip() -> None:
    (container,) = pod_of(made(ingressVIPs=["192.0.2.77"]))["containers"]
    assert "--providers.kubernetesIngress.ingressEndpoint.ip=192.0.2.77" in container["args"]


def test_routers_reach_the_api_by_its_vip() -> None:
    (container,) = pod_of(made(apiVIPs=["192.0.2.55"]))["containers"]
    env = {one["name"]: one["value"] for one in container["env"]}
    assert env == {"KUBERNETES_SERVICE_HOST": "192.0.2.55", "KUBERNETES_SERVICE_PORT": "6443"}


def test_applications_that_name_no_class_get_this_one() -> None:
    shown = made()["IngressClass", traefik.CLASS]["metadata"]["annotations"]
    assert shown == {"ingressclass.kubernetes.io/is-default-class": "true"}


def test_kubelet_waits_longer_for_the_end_than_the_router_itself() -> None:
    own = traefik.ACCEPT_SECONDS + traefik.FINISH_SECONDS
    assert pod_of(made())["terminationGracePeriodSeconds"] > own


def test_a_new_router_stands_beside_the_old_one_before_that_ends() -> None:
    found = made()
    assert found["DaemonSet", NAME]["spec"]["updateStrategy"]["rollingUpdate"] == {
        "maxSurge": 1,
        "maxUnavailable": 0,
    }
    (container,) = pod_of(found)["containers"]
    shared = [one for one in container["args"] if one.endswith("reusePort=true")]
    listening = [one for one in container["args"] if ".address=" in one]
    assert len(shared) == len(listening) == 4
    assert "ports" not in container


def test_the_certificate_and_its_key_are_in_a_secret_of_their_own_file() -> None:
    files = install_files(cluster())
    found = objects({"": files[ingress.CERTIFICATE_PATH]})
    for name, own in (("router-certs-default", "ingress"), ("router-ca", "ingress-ca")):
        secret = found.pop(("Secret", name))
        assert secret["type"] == "kubernetes.io/tls"
        assert {name: b64decode(data) for name, data in secret["data"].items()} == {
            "tls.crt": files[f"tls/{own}.crt"],
            "tls.key": files[f"tls/{own}.key"],
        }
    assert not found
    assert b"PRIVATE KEY" not in files[ingress.PATH]


def test_whoever_wants_to_trust_applications_finds_their_authority_in_the_cluster() -> None:
    files = install_files(cluster())
    found = objects({"": files[ingress.PATH]})
    assert found["ConfigMap", "ingress-ca"]["data"] == {
        "ca.crt": files["tls/ingress-ca.crt"].decode()
    }


def test_nothing_that_is_read_can_be_changed() -> None:
    rules = made()["ClusterRole", f"ingot-{NAME}"]["rules"]
    verbs = {name: set(rule["verbs"]) for rule in rules for name in rule["resources"]}
    assert verbs.pop("ingresses/status") == {"update"}
    assert set().union(*verbs.values()) == {"list", "watch"}
