"""Servers that were added to a cluster go with it: told by a real API, reached by real BMCs."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ingot.installer.addedservers import FILE
from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.machine.model import Power
from tests.integration.installer.destroysite import Site, site
from tests.integration.installer.test_apiview import HOSTS, furnish
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, USER

__all__ = ["site"]

SECRETS = "/api/v1/namespaces/metal3/secrets"
SECRET = f"{SECOND}-credentials"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("api")) as started:
        furnish(started)
        yield started


@pytest.fixture
def cluster(site: Site, api: KubeApi) -> Iterator[Site]:
    """Have a cluster of which the install-config does not know one server."""
    path = site.path / "install-config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    platform = content["platform"]["baremetal"]
    platform["hosts"] = [one for one in platform["hosts"] if one["name"] != SECOND]
    content["controlPlane"]["replicas"] = 1
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    site.begin()
    InstallJournal(site.directory.journal).add(Phase.CLEAN_UP, "ended")
    shutil.copy(api.kubeconfig(), site.path / "auth/kubeconfig")
    # This one is known, by another name than in the file.
    add(api, "first-again", address_of(site, FIRST), secret=SECRET)
    yield site
    for name in ("first-again", SECOND):
        remove(api, f"{HOSTS}/{name}")
    remove(api, f"{SECRETS}/{SECRET}")


def test_a_server_that_was_added_is_switched_off_with_the_others(
    cluster: Site, api: KubeApi
) -> None:
    add_secret(api)
    add(api, SECOND, address_of(cluster, SECOND), secret=SECRET)
    done = cluster.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert set(cluster.power().values()) == {Power.OFF}
    assert f"{SECOND}: was added to the cluster later" in done.stdout.splitlines()
    assert f"{SECOND}: switched off" in done.stdout.splitlines()
    assert "first-again" not in done.stdout
    assert PASSWORD not in done.stdout + done.stderr
    assert not (cluster.path / ".ingot").exists()


def test_a_run_that_goes_on_without_the_api_still_knows_it(cluster: Site, api: KubeApi) -> None:
    add_secret(api, password="changed-meanwhile")
    add(api, SECOND, address_of(cluster, SECOND), secret=SECRET)
    refused = cluster.run("destroy", "cluster")
    assert refused.returncode == 4
    assert f"{SECOND}: " in refused.stderr
    known = cluster.directory.hidden / FILE
    assert known.stat().st_mode & 0o777 == 0o600
    known.write_text(known.read_text().replace(encoded("changed-meanwhile"), encoded(PASSWORD)))
    (cluster.path / "auth/kubeconfig").unlink()
    done = cluster.run("destroy", "cluster", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["addedUnknown"] is False
    assert set(cluster.power().values()) == {Power.OFF}
    assert not known.exists()


def test_where_the_api_is_gone_it_is_said_that_some_may_be_left(cluster: Site) -> None:
    (cluster.path / "auth/kubeconfig").unlink()
    done = cluster.run("destroy", "cluster", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["addedUnknown"] is True
    assert "servers that were added to the cluster later" in done.stderr
    assert cluster.power()[SECOND] is Power.ON
    assert cluster.power()[FIRST] is Power.OFF


@pytest.mark.parametrize(
    ("spec", "annotations"),
    [
        ({"externallyProvisioned": True}, {}),
        ({}, {"baremetalhost.metal3.io/detached": ""}),
    ],
    ids=["installed by somebody else", "detached"],
)
def test_a_server_that_the_cluster_did_not_install_goes_on_running(
    cluster: Site, api: KubeApi, spec: dict[str, Any], annotations: dict[str, str]
) -> None:
    add_secret(api)
    address = address_of(cluster, SECOND)
    add(api, SECOND, address, secret=SECRET, annotations=annotations, **spec)
    done = cluster.run("destroy", "cluster", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["spared"]) == [SECOND]
    assert cluster.power()[SECOND] is Power.ON


def test_a_server_without_credentials_is_named_until_the_file_has_them(
    cluster: Site, api: KubeApi
) -> None:
    address = address_of(cluster, SECOND)
    add(api, SECOND, address, secret=SECRET)
    done = cluster.run("destroy", "cluster")
    assert done.returncode == 4
    assert f"{SECOND}: no Secret {SECRET} has the credentials" in done.stderr
    assert cluster.power() == {**cluster.power(), FIRST: Power.OFF, SECOND: Power.ON}
    path = cluster.path / "install-config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    bmc = {"address": address, "username": USER, "password": PASSWORD}
    content["platform"]["baremetal"]["hosts"].append(
        {
            "name": SECOND,
            "bootMACAddress": "52:54:00:00:00:77",
            "bmc": {**bmc, "disableCertificateVerification": True},
        }
    )
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    again = cluster.run("destroy", "cluster")
    assert again.returncode == 0, again.stderr
    assert cluster.power()[SECOND] is Power.OFF


def address_of(site: Site, name: str) -> str:
    url = site.redfish.url(name, site.redfish.system_path(name))
    return url.replace("https", "redfish", 1)


def add(
    api: KubeApi,
    name: str,
    address: str,
    *,
    secret: str,
    annotations: dict[str, str] | None = None,
    **spec: object,
) -> None:
    bmc = {
        "address": address,
        "credentialsName": secret,
        "disableCertificateVerification": True,
    }
    host = {
        "apiVersion": "metal3.io/v1alpha1",
        "kind": "BareMetalHost",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {"online": True, "bmc": bmc, "bootMACAddress": "52:54:00:00:00:77", **spec},
    }
    api.request("POST", HOSTS, host)


def add_secret(api: KubeApi, password: str = PASSWORD) -> None:
    data = {"username": encoded(USER), "password": encoded(password)}
    api.request("POST", SECRETS, {"metadata": {"name": SECRET}, "data": data})


def remove(api: KubeApi, path: str) -> None:
    folder, _, name = path.rpartition("/")
    found: Any = api.request("GET", folder)
    if any(one["metadata"]["name"] == name for one in found["items"]):
        api.request("DELETE", path)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
