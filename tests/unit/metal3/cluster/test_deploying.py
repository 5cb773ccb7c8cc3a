"""The objects that run metal3 in the cluster."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest

from ingot.metal3.cluster.deploying import (
    CREDENTIALS_ANNOTATION,
    credentials_secret,
    images_deployment,
    metal3_deployment,
    service,
    service_status,
)
from ingot.metal3.cluster.images.keeping import read
from ingot.metal3.cluster.options import Images, OptionsError, parse, rendered
from ingot.metal3.cluster.translating import settings_of
from ingot.metal3.pod.settings import Settings
from ingot.metal3.pod.settings import parse as parse_settings
from tests.unit.metal3.cluster.seen import OPTIONS, options, provisioning

FILES = {"tls.crt": b"certificate", "tls.key": b"key", "password": b"secret"}


def told() -> Settings:
    return settings_of(provisioning().spec, vips=options().api_vips, further={})


def pod_of(deployment: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = deployment["spec"]["template"]
    return found


def test_metal3_runs_where_a_whole_copy_of_the_images_is() -> None:
    spec = pod_of(metal3_deployment(told(), options(), FILES, replicas=1))["spec"]
    volumes = {one["name"]: one for one in spec["volumes"]}
    assert volumes["media"]["hostPath"] == {
        "path": f"/var/lib/ingot/images/{options().images.digest}",
        "type": "Directory",
    }
    (term,) = spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    copies = pod_of(images_deployment(options(), replicas=2))["metadata"]["labels"]
    assert term["labelSelector"]["matchLabels"] == copies


def test_two_copies_are_never_on_one_node() -> None:
    spec = pod_of(images_deployment(options(), replicas=2))["spec"]
    (term,) = spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "kubernetes.io/hostname"


def test_a_copy_understands_what_it_is_told() -> None:
    spec = pod_of(images_deployment(options(), replicas=2))["spec"]
    said = {one["name"]: one.get("value", "") for one in spec["containers"][0]["env"]}
    wish = read({**said, "POD_NAME": "me"})
    assert wish.images == options().images
    assert wish.pod == "me"


def test_new_credentials_replace_the_pod() -> None:
    def marked(files: dict[str, bytes]) -> str:
        pod = pod_of(metal3_deployment(told(), options(), files, replicas=1))
        return str(pod["metadata"]["annotations"][CREDENTIALS_ANNOTATION])

    assert marked(FILES) == marked(dict(reversed(FILES.items())))
    assert marked(FILES) != marked({**FILES, "password": b"another"})


def test_the_pod_reads_the_settings_that_the_secret_has() -> None:
    data = credentials_secret(FILES, told())["data"]
    assert parse_settings(b64decode(data["settings.json"])) == told()
    assert b64decode(data["password"]) == b"secret"


def test_no_secret_is_in_a_deployment() -> None:
    text = json.dumps(metal3_deployment(told(), options(), FILES, replicas=1))
    assert "secret" not in text.replace('"secret"', "").replace("secretName", "")


def test_the_vip_leads_to_the_pod_by_the_ports_that_it_has() -> None:
    ports = {one["port"] for one in service(told())["spec"]["ports"]}
    assert ports == {6180, 6183, 6385}
    assert service_status(options())["status"]["loadBalancer"]["ingress"] == [
        {"ip": "192.168.111.5", "ipMode": "VIP"}
    ]


def test_options_are_read_as_they_are_written() -> None:
    assert parse(rendered(options())) == options()


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"apiVIPs": []}, "apiVIPs"), ({"images": {"files": [{"name": "../x"}]}}, "images.files.0")],
)
def test_options_that_cannot_be_used_are_named(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(OptionsError, match=named):
        parse(json.dumps({**OPTIONS, **changes}))


def test_images_are_told_apart_by_what_is_in_them_and_by_nothing_else() -> None:
    images = options().images
    assert images.digest == Images(files=tuple(reversed(images.files))).digest
    assert images.digest != Images(files=images.files[:2]).digest
