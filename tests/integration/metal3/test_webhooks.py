"""The webhook, asked by a real kube-apiserver."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from ingot.metal3.webhooks.certificates import Life
from ingot.metal3.webhooks.configuration import API_PATH, configuration, trusting
from ingot.metal3.webhooks.rotating import Rotation
from tests.e2e.site import eventually
from tests.integration.kubeapi import ADMIN_TOKEN, KubeApi, kube_api
from tests.integration.metal3.served import Json, Served, manifests, path_of
from tests.integration.metal3.webhook import LOOPBACK, Webhook
from tests.unit.metal3.webhooks.objects import (
    bmc,
    components,
    data_image,
    host,
    provisioning,
    subscription,
)

CONFIGURATIONS = API_PATH.rpartition("/")[0]
LIFE = Life(lasts=timedelta(minutes=15), settles=timedelta(seconds=1))
"""Short enough that some rotations fit into the hour that clocks may differ by."""


@dataclass
class Clock:
    """The time, some of it ahead."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Site:
    """An API server that asks our webhook."""

    served: Served
    webhook: Webhook
    rotation: Rotation
    clock: Clock

    def warnings(self, raw: Json) -> list[str]:
        """Return what the writer of a new object is told besides."""
        answer = asked(self.served.api, "POST", f"{path_of(raw)}?dryRun=All", raw)
        assert answer.status == 201
        return [value for name, value in answer.getheaders() if name == "Warning"]


def asked(
    api: KubeApi, method: str, path: str, body: object, kind: str = "application/json"
) -> http.client.HTTPResponse:
    """Return an answer of the API server, whose content has been read."""
    context = ssl.create_default_context(cafile=api.ca)
    connection = http.client.HTTPSConnection(LOOPBACK, api.port, context=context, timeout=30)
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": kind}
    try:
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
    finally:
        connection.close()
    return answer


def near(raw: Json) -> Json:
    """Return an object in the namespace that there is."""
    raw["metadata"]["namespace"] = "default"
    if raw["kind"] == "Provisioning":
        del raw["metadata"]["namespace"]
    return raw


BROKEN = near(host({"firmware": {"sriovEnabled": True}}, name="older-than-the-rules"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("webhook")
    with kube_api(folder / "kube") as api:
        for manifest in manifests():
            api.install(manifest)
        served, clock = Served(api), Clock()
        served.create(BROKEN)

        async def publish(bundle: bytes) -> None:
            kind = "application/json-patch+json"
            assert asked(api, "PATCH", API_PATH, trusting(bundle), kind).status == 200

        rotation = Rotation(
            folder=folder / "keys", names=[LOOPBACK], publish=publish, life=LIFE, clock=clock
        )
        bundle = rotation.begin()
        webhook = Webhook(folder / "keys")
        with webhook.running():
            where = f"https://{LOOPBACK}:{webhook.port}"
            api.request("POST", CONFIGURATIONS, configuration(where, bundle))
            bad = near(host({"firmware": {"sriovEnabled": True}}))
            eventually(lambda: served.try_to_create(bad)[0] == 422, within=30, every=0.05)
            yield Site(served, webhook, rotation, clock)
        served.close()


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (host({"image": {"url": "https://images/os"}}), "spec.image.checksum"),
        (host(bmc("carrier-pigeon://10.0.0.9")), "spec.bmc.address"),
        (host(annotations={"reboot.metal3.io": "now"}), "metadata.annotations[reboot.metal3.io]"),
        (subscription({"destination": "https://events"}), "spec.destination"),
        (data_image("nowhere"), "spec.url"),
        (components("nowhere"), "spec.updates[0].url"),
        (provisioning({"provisioningIP": "172.23.0.3"}), "spec.provisioningIP"),
    ],
)
def test_a_refused_create_shows_our_message_with_the_field(
    site: Site, raw: Json, field: str
) -> None:
    code, told = site.served.try_to_create(near(raw))
    assert code == 422
    assert 'admission webhook "validate.metal3.io" denied the request' in told["message"]
    assert field in told["message"]
    assert [cause["field"] for cause in told["details"]["causes"]] == [field]


def test_kubectl_names_the_object_the_field_and_the_remedy(site: Site) -> None:
    api = site.served.api
    told = subprocess.run(
        [api.binaries["kubectl"], f"--kubeconfig={api.kubeconfig()}", "create", "-f", "-"],
        input=json.dumps(near(host({"image": {"url": "https://images/os"}}))),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode != 0
    assert told.stderr.strip() == (
        'The BareMetalHost "worker-0" is invalid: spec.image.checksum: is missing; give the '
        "image's checksum, or the URL of a file that has it"
    )


@pytest.mark.parametrize(
    "raw",
    [
        host(),
        host({"description": "x" * 1_000_000}),
        subscription(),
        data_image("https://images/a"),
        components("https://firmware/1"),
        provisioning(),
    ],
    ids=lambda raw: f"{raw['kind']}-{len(str(raw))}",
)
def test_a_good_object_is_stored(site: Site, raw: Json) -> None:
    code, told = site.served.try_to_create(near(raw))
    assert code == 201, told


@pytest.mark.parametrize("size", [250_000, 2_000_000])
def test_a_large_annotation_is_refused_and_does_no_harm(site: Site, size: int) -> None:
    """Beyond 3 MiB the API server itself hangs up in the middle of the request."""
    large = near(host(annotations={"inspect.metal3.io/hardwaredetails": "[" * size}))
    answer = asked(site.served.api, "POST", f"{path_of(large)}?dryRun=All", large)
    assert answer.status == 422  # ours below 256 KiB, the API server's own above
    assert site.served.try_to_create(near(host()))[0] == 201


def test_whoever_writes_sees_our_warnings(site: Site) -> None:
    (warning,) = site.warnings(near(host({"hardwareProfile": "dell"})))
    assert "spec.hardwareProfile is deprecated; give rootDeviceHints instead" in warning


def test_an_address_changes_by_the_status_that_is_stored(site: Site) -> None:
    raw = near(host(name="moving"))
    made = site.served.create(raw)
    path = f"{path_of(raw)}/moving"
    change = {"spec": bmc("redfish://10.0.0.8/s")}
    for operational, code in (("OK", 422), ("detached", 200)):
        status = {
            "operationalStatus": operational,
            "provisioning": {"state": "provisioned", "ID": ""},
            "errorCount": 0,
            "errorMessage": "",
            "poweredOn": True,
        }
        put, made = site.served.put_status({**made, "status": status})
        assert put == 200, made
        # A status in the same request is dropped by the API server, and is not believed.
        lie = {"status": {**status, "operationalStatus": "detached"}}
        answered, made_or_told = site.served.ask("PATCH", path, {**change, **lie})
        assert answered == code, made_or_told
    site.served.ask("DELETE", path)


def test_a_host_older_than_the_rules_takes_a_finalizer_and_goes(site: Site) -> None:
    path = f"{path_of(BROKEN)}/{BROKEN['metadata']['name']}"
    code, told = site.served.ask("PATCH", path, {"metadata": {"finalizers": ["a.example.com/b"]}})
    assert code == 200, told
    assert site.served.ask("DELETE", path)[0] == 200
    code, told = site.served.ask("PATCH", path, {"metadata": {"finalizers": None}})
    assert code == 200, told
    assert site.served.ask("GET", path)[0] == 404


def test_no_request_is_lost_while_certificates_rotate(site: Site) -> None:
    good = near(host(name="asking"))
    path = f"{path_of(good)}?dryRun=All"
    stop, wrong, answered = threading.Event(), list[str](), list[int]()

    def ask() -> None:
        mine = Served(site.served.api)
        while not stop.is_set():
            code, told = mine.ask("POST", path, good)
            answered.append(code)
            if code != 201:
                wrong.append(str(told))
        mine.close()

    def more(requests: int) -> None:
        enough = len(answered) + requests
        eventually(lambda: len(answered) >= enough, within=60, every=0.01)

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    seen = {site.webhook.certificate()}
    try:
        asyncio.run(site.rotation.step())
        for rotations in range(2, 5):
            site.clock.ahead += timedelta(minutes=11)
            asyncio.run(site.rotation.step())  # the next authority is trusted too
            more(60)
            site.clock.ahead += timedelta(seconds=1)
            asyncio.run(site.rotation.step())  # the next certificate is served
            eventually(lambda: site.webhook.certificate() not in seen, within=30, every=0.02)
            more(60)
            seen.add(site.webhook.certificate())
            assert len(seen) == rotations
    finally:
        stop.set()
        for asker in askers:
            asker.join(30)
    assert wrong == []


def test_without_the_webhook_nothing_is_stored_but_what_goes_can_go(site: Site) -> None:
    raw = near(host(name="going"))
    raw["metadata"]["finalizers"] = ["a.example.com/b"]
    site.served.create(raw)
    elsewhere = [{"op": "replace", "path": "/webhooks/0/clientConfig/url", "value": ""}]
    url = f"https://{LOOPBACK}:{site.webhook.port}/validate"
    kind = "application/json-patch+json"
    with socket.socket() as closed:  # bound and deaf, so that nobody else answers there
        closed.bind((LOOPBACK, 0))
        elsewhere[0]["value"] = f"https://{LOOPBACK}:{closed.getsockname()[1]}/validate"
        assert asked(site.served.api, "PATCH", API_PATH, elsewhere, kind).status == 200
        try:
            new = near(host(name="new"))
            eventually(lambda: site.served.try_to_create(new)[0] == 500, within=30, every=0.05)
            path = f"{path_of(raw)}/going"
            assert site.served.ask("DELETE", path)[0] == 200
            assert site.served.ask("PATCH", path, {"metadata": {"finalizers": None}})[0] == 200
            assert site.served.ask("GET", path)[0] == 404
        finally:
            elsewhere[0]["value"] = url
            assert asked(site.served.api, "PATCH", API_PATH, elsewhere, kind).status == 200
    eventually(lambda: site.served.try_to_create(new)[0] == 201, within=30, every=0.05)
