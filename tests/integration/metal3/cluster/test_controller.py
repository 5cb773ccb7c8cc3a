"""The controller of `Provisioning` on a real API server, with the rights of its own account.

The test plays the parts that are not there: kubelets, the scheduler, and Deployments' controller.
"""

from __future__ import annotations

import asyncio
import json
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509

from ingot.assets.clusterconfigserver import (
    PATH as SERVER_PATH,
)
from ingot.assets.clusterconfigserver import (
    SECRET_PATH,
    cluster_config_server,
    config_server_secret,
)
from ingot.assets.ingress import CERTIFICATE_PATH, ingress
from ingot.assets.metal3cluster import PATH, metal3_cluster, options_of
from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.kind import ObjectKey
from ingot.metal3.cluster.handing import images_wait_for
from ingot.metal3.cluster.names import CONFIG_SERVER, INGRESS
from ingot.metal3.cluster.program import run
from ingot.metal3.cluster.renewing import RenewalRoom, certificate_annotation
from ingot.pki.authority import Authority
from ingot.pki.term import Term
from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.metal3.served import Served, manifests
from tests.unit.assets.clusters import NOW, PAYLOAD, cluster, install_files
from tests.unit.metal3.cluster.seen import MANAGED

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


@contextmanager
def controller(api: KubeApi, site: Site) -> Iterator[None]:
    """Run the controller as its account until the end of the block."""
    kubeconfig = account(api, site)
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    options = options_of(cluster(), PAYLOAD)
    ended: list[BaseException | None] = []

    def work() -> None:
        try:
            access = from_kubeconfig(kubeconfig)
            loop.run_until_complete(run(options, access, stop, health_port=0))
            ended.append(None)
        except BaseException as error:  # noqa: BLE001 - told below
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()
    assert ended == [None]


def joined(site: Site) -> None:
    for number in range(3):
        site.add_node(f"cp-{number}")


def handed_over(site: Site) -> None:
    code, _ = site.served.ask("DELETE", "/api/v1/nodes/bootstrap")
    assert code == 200


def waits_for(api: KubeApi) -> str:
    async def asked() -> str:
        async with KubeClient(from_kubeconfig(api.kubeconfig())) as client:
            return await images_wait_for(client)

    return asyncio.run(asked())


def test_metal3_comes_when_the_bootstrap_has_gone(api: KubeApi, site: Site) -> None:
    assert waits_for(api) == "metal3-controller to begin"
    with controller(api, site):
        eventually(lambda: site.replicas("metal3-images") == 0, within=WITHIN, every=0.1)
        eventually(lambda: site.replicas("metal3") == 0, within=WITHIN, every=0.1)
        eventually(
            lambda: site.conditions().get("Progressing") == "True BootstrapProvisions",
            within=WITHIN,
            every=0.1,
        )
        joined(site)
        eventually(lambda: site.replicas("metal3-images") == 1, within=WITHIN, every=0.1)
        assert "copied" in waits_for(api)
        site.roll_out("metal3-images")
        assert waits_for(api) == ""
        assert site.replicas("metal3") == 0
        assert site.get("/api/v1/namespaces/metal3/services/metal3") is None

        handed_over(site)
        eventually(lambda: site.replicas("metal3") == 1, within=WITHIN, every=0.1)
        assert site.replicas("metal3-images") == 1
        assert PAUSED in site.annotations("worker-0")
        site.roll_out("metal3")
        eventually(lambda: site.replicas("metal3-images") == 2, within=WITHIN, every=0.1)
        site.roll_out("metal3-images")
        eventually(
            lambda: site.conditions().get("Available") == "True AsExpected",
            within=WITHIN,
            every=0.1,
        )
        eventually(lambda: PAUSED not in site.annotations("worker-0"), within=WITHIN, every=0.1)
        assert site.annotations("mine") == {PAUSED: "by me"}

        service = eventually(
            lambda: (site.get("/api/v1/namespaces/metal3/services/metal3") or {}).get("status"),
            within=WITHIN,
            every=0.1,
        )
        vip = str(cluster().baremetal.api_vips[0])
        assert service["loadBalancer"]["ingress"][0]["ip"] == vip


def standing(site: Site) -> None:
    joined(site)
    handed_over(site)
    eventually(lambda: site.replicas("metal3") == 1, within=WITHIN, every=0.1)
    site.roll_out("metal3")
    eventually(lambda: site.replicas("metal3-images") == 2, within=WITHIN, every=0.1)
    site.roll_out("metal3-images")
    eventually(
        lambda: site.conditions().get("Available") == "True AsExpected", within=WITHIN, every=0.1
    )


def settings_in(site: Site) -> Json:
    secret = site.get("/api/v1/namespaces/metal3/secrets/metal3-ironic")
    assert secret is not None
    found: Json = json.loads(b64decode(secret["data"]["settings.json"]))
    return found


def test_a_change_replaces_the_pod_and_a_mistake_leaves_it(api: KubeApi, site: Site) -> None:
    with controller(api, site):
        standing(site)

        def generation() -> int:
            found = site.deployment("metal3")
            assert found is not None
            return int(found["metadata"]["generation"])

        before = generation()
        site.patch(PROVISIONING, {"spec": {"additionalNTPServers": ["10.0.0.1"]}})
        eventually(lambda: generation() > before, within=WITHIN, every=0.1)
        assert settings_in(site)["ntp"] == ["10.0.0.1"]
        site.roll_out("metal3")

        before = generation()
        site.patch(PROVISIONING, {"spec": {"provisioningIP": "172.23.0.3"}})
        eventually(
            lambda: site.conditions().get("Degraded") == "True InvalidConfiguration",
            within=WITHIN,
            every=0.1,
        )
        assert site.conditions()["Available"].startswith("True")
        assert generation() == before

        site.patch(PROVISIONING, {"spec": {"provisioningIP": "172.22.0.3"}})
        eventually(
            lambda: site.conditions().get("Degraded", "").startswith("False"),
            within=WITHIN,
            every=0.1,
        )
        assert generation() == before


def test_credentials_stay_when_the_controller_begins_anew(api: KubeApi, site: Site) -> None:
    def password() -> str | None:
        found = site.get("/api/v1/namespaces/metal3/secrets/metal3-ironic")
        return str(found["data"]["password"]) if found else None

    with controller(api, site):
        first = eventually(password, within=WITHIN, every=0.1)
        standing(site)
    site.patch(PROVISIONING, {"spec": {"additionalNTPServers": ["10.0.0.1"]}})
    with controller(api, site):
        eventually(lambda: "ntp" in settings_in(site), within=WITHIN, every=0.1)
    assert password() == first


def test_a_host_that_is_added_later_is_in_the_roster(api: KubeApi, site: Site) -> None:
    def roster() -> set[str]:
        found = site.get("/api/v1/namespaces/ingot-infra/secrets/ingot-config-server") or {}
        text = b64decode(found["data"]["hosts.json"])
        return {one["name"] for one in json.loads(text)["hosts"]}

    with controller(api, site):
        eventually(lambda: "mine" in roster(), within=WITHIN, every=0.1)
        site.add_host("worker-9", leads=False)
        eventually(lambda: "worker-9" in roster(), within=WITHIN, every=0.1)
        secret = site.get("/api/v1/namespaces/metal3/secrets/worker-9-user-data")
        assert secret is not None
        pointer = json.loads(b64decode(secret["data"]["userData"]))
        (source,) = pointer["ignition"]["config"]["merge"]
        assert source["source"].endswith(":22623/config/node")
        code, _ = site.served.ask("DELETE", f"{HOSTS}/worker-9")
        assert code == 200
        eventually(lambda: "worker-9" not in roster(), within=WITHIN, every=0.1)


def test_the_config_servers_certificate_is_renewed_in_time(api: KubeApi, site: Site) -> None:
    def seen() -> tuple[bytes, str]:
        secret = site.get("/api/v1/namespaces/ingot-infra/secrets/ingot-config-server")
        pods = site.get("/apis/apps/v1/namespaces/ingot-infra/daemonsets/ingot-config-server")
        assert secret is not None
        assert pods is not None
        annotations = pods["spec"]["template"]["metadata"]["annotations"]
        return b64decode(secret["data"]["tls.crt"]), annotations["ingot.local/certificate"]

    first = seen()
    look_at(CONFIG_SERVER, api, site, after=timedelta(days=100))
    assert seen() == first
    look_at(CONFIG_SERVER, api, site, after=timedelta(days=250))
    certificate, mark = seen()
    assert certificate != first[0]
    assert mark != first[1]
    assert certificate_annotation(certificate) == {"ingot.local/certificate": mark}


def test_the_certificate_of_applications_is_renewed_in_time(api: KubeApi, site: Site) -> None:
    first = certificate_of_applications(site)
    look_at(INGRESS, api, site, after=timedelta(days=100))
    assert certificate_of_applications(site) == first
    look_at(INGRESS, api, site, after=timedelta(days=250))
    renewed = x509.load_pem_x509_certificate(certificate_of_applications(site))
    before = x509.load_pem_x509_certificate(first)
    assert renewed.not_valid_after_utc > before.not_valid_after_utc
    assert (renewed.subject, renewed.issuer) == (before.subject, before.issuer)


def test_a_certificate_of_a_persons_own_is_left_alone(api: KubeApi, site: Site) -> None:
    term = Term.since(NOW, timedelta(days=30))
    own = Authority.made("somebody's own", term).server("*.apps.example.com", ["*.apps"], term)
    data = {"tls.crt": own.certificate, "tls.key": own.key}
    body = {"data": {name: b64encode(one).decode() for name, one in data.items()}}
    site.patch(APPLICATIONS, body)
    look_at(INGRESS, api, site, after=timedelta(days=250))
    assert certificate_of_applications(site) == own.certificate


def certificate_of_applications(site: Site) -> bytes:
    secret = site.get(APPLICATIONS)
    assert secret is not None
    return b64decode(secret["data"]["tls.crt"])


def look_at(key: ObjectKey, api: KubeApi, site: Site, *, after: timedelta) -> None:
    """Have certificates looked at, as if it were later."""

    async def looked() -> None:
        access = from_kubeconfig(account(api, site))
        async with KubeClient(access, field_manager="test") as client:
            await RenewalRoom(client, clock=lambda: NOW + after).reconcile(key)

    asyncio.run(looked())


@pytest.mark.parametrize(
    ("who", "verb", "resource", "allowed"),
    [
        ("metal3-controller", "get", "secrets/metal3-ironic", True),
        ("metal3-controller", "get", "secrets/cp-0-bmc-secret", False),
        ("metal3-controller", "patch", "secrets/cp-0-bmc-secret", False),
        ("metal3-controller", "list", "secrets", False),
        ("metal3-controller", "delete", "baremetalhosts.metal3.io", False),
        ("metal3-images", "list", "pods", True),
        ("metal3-images", "get", "secrets", False),
        ("metal3", "list", "secrets", True),
        ("metal3", "patch", "baremetalhosts.metal3.io/status", True),
        ("metal3", "list", "provisionings.metal3.io", False),
        ("metal3", "list", "nodes", False),
    ],
)
def test_an_account_may_do_what_it_has_to_and_no_more(
    rights: Site, who: str, verb: str, resource: str, *, allowed: bool
) -> None:
    assert may(rights, who, verb, resource) is allowed


@pytest.fixture(scope="module")
def rights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with kube_api(tmp_path_factory.mktemp("kube")) as started:
        served = Served(started)
        made = Site(served)
        made.apply_manifests()
        yield made
        served.close()


def may(site: Site, account: str, verb: str, resource: str) -> bool:
    named, _, rest = resource.partition("/")
    plural, _, group = named.partition(".")
    below = {"subresource": rest} if group else {"name": rest}
    attributes = {"verb": verb, "resource": plural, "group": group, "namespace": "metal3", **below}
    user = f"system:serviceaccount:metal3:{account}"
    asked = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": attributes},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    code, answer = site.served.ask("POST", path, asked)
    assert code == 201, answer
    found: bool = answer["status"]["allowed"]
    return found
