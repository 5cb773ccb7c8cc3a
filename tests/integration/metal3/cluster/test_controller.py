"""The controller of `Provisioning` on a real API server, with the rights of its own account.

The test plays the parts that are not there: kubelets, the scheduler, and Deployments' controller.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import Iterator

import pytest

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.metal3.cluster.handing import images_wait_for
from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.metal3.cluster.running import controller
from tests.integration.metal3.cluster.site import (
    PAUSED,
    PROVISIONING,
    WITHIN,
    Json,
    Site,
)
from tests.integration.metal3.served import Served
from tests.unit.assets.clusters import cluster


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


def test_the_bootstrap_is_told_what_keeps_the_cluster_from_beginning(
    api: KubeApi, site: Site
) -> None:
    site.patch(PROVISIONING, {"spec": {"provisioningIP": "10.1.2.3"}})
    with controller(api, site):
        eventually(lambda: "provisioningIP" in waits_for(api), within=WITHIN, every=0.1)


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


@pytest.mark.parametrize(
    ("who", "verb", "resource", "allowed"),
    [
        ("metal3-controller", "get", "secrets/metal3-ironic", True),
        ("metal3-controller", "get", "secrets/worker-9-user-data", True),
        ("metal3-controller", "patch", "secrets/worker-9-user-data", True),
        # These go with those: a right can name Secrets, and not what their names end with.
        ("metal3-controller", "get", "secrets/cp-0-bmc-secret", True),
        ("metal3-controller", "patch", "secrets/cp-0-bmc-secret", True),
        ("metal3-controller", "delete", "secrets/worker-9-user-data", False),
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
