"""The metal3 pod, run as its specification says: real Ironic, dnsmasq, nginx and operator."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import shutil
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from ingot.ironic.client import Ironic
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.document import Json
from ingot.ironic.states import ProvisionState, Verb
from ingot.machine import namespaces
from ingot.machine.firmware.tftp import receive
from ingot.metal3.pod.manifest import deployment, static_pod
from ingot.metal3.pod.podspec import Sources
from tests.e2e.site import eventually
from tests.integration.ironic.driven import driven, settled
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.pod.site import (
    DISK,
    IMAGE,
    OWN,
    PASSWORD,
    USER,
    PodSite,
    api_on,
    image_root,
    pod_site,
)

T = TypeVar("T")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="an image's root is entered as root only")

STARTS_WITHIN = 120
OK, UNAUTHORIZED, NOT_FOUND = 200, 401, 404


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = image_root(tmp_path_factory.mktemp("image"))
    yield made
    shutil.rmtree(made)  # pytest would keep three of them, of 500 MB each


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodSite]:
    with pod_site(root, tmp_path_factory.mktemp("pod")) as made:
        prepared = made.runtime.run("prepare")
        assert prepared.returncode == 0, prepared.stderr
        yield made


@pytest.fixture(scope="module")
def api(site: PodSite) -> Iterator[KubeApi]:
    with api_on(site) as running:
        yield running


@pytest.fixture(scope="module")
def pod(site: PodSite, api: KubeApi) -> Iterator[PodSite]:
    """The pod with all its containers; Ironic answers."""
    del api
    with ExitStack() as stack:
        started = {
            one["name"]: stack.enter_context(site.runtime.running(one["name"]))
            for one in site.runtime.spec["containers"]
        }

        def answers() -> bool:
            for name, process in started.items():
                assert process.poll() is None, f"{name} ended:\n{site.runtime.log(name)[-3000:]}"
            return asked(site, "/")[0] == OK

        eventually(answers, within=STARTS_WITHIN)
        yield site


def on(site: PodSite, work: Callable[[], T]) -> T:
    """Do something on the machine's network."""
    return namespaces.inside(site.namespace, work)


def asked(site: PodSite, path: str, *, password: str | None = None) -> tuple[int, bytes]:
    """Return what Ironic's API answers; 0 where nobody does."""
    request = urllib.request.Request(f"https://{OWN}:6385{path}")
    if password is not None:
        pair = base64.b64encode(f"{USER}:{password}".encode()).decode()
        request.add_header("Authorization", f"Basic {pair}")
    return on(site, partial(answer_to, request, site.ca))


def answer_to(request: urllib.request.Request | str, ca: Path | None = None) -> tuple[int, bytes]:
    context = ssl.create_default_context(cafile=ca) if ca else None
    try:
        with urllib.request.urlopen(request, context=context, timeout=20) as answer:  # noqa: S310
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read()
    except OSError:
        return 0, b""


def test_everything_that_was_prepared_is_on_the_shared_volume(site: PodSite) -> None:
    made = {path.name for path in (site.shared / "conf").iterdir()}
    assert made == {"ironic.conf", "dnsmasq.conf", "nginx.conf", "htpasswd"}
    assert (site.shared / "db/ironic.sqlite").stat().st_size > 0
    assert not any(path.name == "disk.img" for path in site.shared.rglob("*"))
    assert PASSWORD not in (site.shared / "conf/htpasswd").read_text("utf-8")


def test_ironic_reads_the_kernels_words_as_they_are_meant(site: PodSite) -> None:
    shown = site.runtime.run("ironic", "/usr/bin/python3", "-IBc", SHOWN)
    assert shown.returncode == 0, shown.stderr[-3000:]
    read = json.loads(shown.stdout)
    assert 'sshkey="ssh-ed25519 AAAAC3Nz someone@somewhere"' in read
    assert f"ipa-ntp-server={OWN}" in read
    assert "ingot.ca=MII" in read


SHOWN = """
import json, sys
sys.path.insert(0, "/opt/ironic/lib")
from ironic.common import service
service.prepare_service("ironic", ["ironic", "--config-file", "/shared/conf/ironic.conf"])
from ironic.common import kernel_parameters
from ironic.conf import CONF
print(json.dumps(str(kernel_parameters.KernelCommandLine.parse(CONF.pxe.kernel_append_params))))
"""


def test_dnsmasq_accepts_its_configuration(site: PodSite) -> None:
    checked = site.runtime.run(
        "dnsmasq", "/usr/sbin/dnsmasq", "--test", "--conf-file=/shared/conf/dnsmasq.conf"
    )
    assert checked.returncode == 0, checked.stderr


def test_ironic_is_encrypted_and_asks_who_it_is(pod: PodSite) -> None:
    assert asked(pod, "/v1/nodes")[0] == UNAUTHORIZED
    assert asked(pod, "/v1/nodes", password="wrong horse")[0] == UNAUTHORIZED
    assert asked(pod, "/v1/nodes", password=PASSWORD)[0] == OK


def test_agents_need_no_password(pod: PodSite) -> None:
    assert asked(pod, "/v1/lookup?addresses=52:54:00:00:00:01")[0] == NOT_FOUND


def test_ironic_drives_every_kind_of_server(pod: PodSite) -> None:
    async def drivers() -> frozenset[str]:
        async with Ironic(pod.access) as ironic:
            return (await ironic.readiness()).drivers

    found = eventually(lambda: on(pod, lambda: asyncio.run(drivers())) or None, within=60)
    assert found == set(Interfaces().hardware_types)


def test_a_hosts_boot_files_are_links_and_no_copies(pod: PodSite) -> None:
    wish: dict[str, Json] = {
        "driver": "fake-hardware",
        "boot_interface": "ipxe",
        "inspect_interface": "agent",
        "driver_info": {
            "deploy_kernel": "file:///shared/ramdisk/kernel",
            "deploy_ramdisk": "file:///shared/ramdisk/initrd",
        },
        "properties": {"cpu_arch": "x86_64"},
    }

    async def story() -> str:
        async with Ironic(pod.access) as ironic:
            node = (await ironic.nodes.create(wish)).uuid
            await ironic.ports.create(node, "52:54:00:00:00:01", pxe_enabled=True)
            await driven(ironic, node, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await ironic.driving.ask(node, Verb.INSPECT)
            await settled(
                ironic, node, lambda seen: seen.provision_state is ProvisionState.INSPECT_WAIT
            )
            return node

    node = on(pod, lambda: asyncio.run(story()))
    served = pod.shared / "html" / node / "deploy_kernel"
    assert served.samefile(pod.shared / "ramdisk/kernel")
    script = (pod.shared / "html/pxelinux.cfg/52-54-00-00-00-01").read_text("utf-8")
    assert f"ipa-api-url=https://{OWN}:6385" in script
    assert 'sshkey="ssh-ed25519 AAAAC3Nz someone@somewhere"' in script
    code, content = on(pod, partial(answer_to, f"http://{OWN}:6180/{node}/deploy_kernel"))
    assert (code, content) == (OK, b"a kernel")


def test_images_are_served_from_the_media_and_written_down(pod: PodSite) -> None:
    code, content = on(pod, partial(answer_to, f"http://{OWN}:6180/images/disk.img"))
    assert (code, content) == (OK, DISK)
    lines = (pod.shared / "log/web.log").read_text("utf-8").splitlines()
    assert "/images/disk.img" in {json.loads(line)["path"] for line in lines}


def test_the_media_cannot_be_written_by_the_web_server(pod: PodSite) -> None:
    tried = pod.runtime.run("httpd", "/usr/bin/touch", "/shared/html/images/disk.img")
    assert "Read-only file system" in tried.stderr


def test_a_network_card_is_given_ipxe(pod: PodSite) -> None:
    received = io.BytesIO()
    on(pod, lambda: receive(OWN, "undionly.kpxe", received, lambda _done, _all: None))
    assert received.getvalue() == (pod.shared / "tftp/undionly.kpxe").read_bytes()
    eventually(
        lambda: "undionly.kpxe" in (pod.shared / "log/dnsmasq.log").read_text("utf-8"), within=10
    )


def test_the_operator_leads_and_has_found_ironic(pod: PodSite) -> None:
    def ready() -> bool:
        code, said = on(pod, partial(answer_to, f"http://{OWN}:9440/readyz"))
        return code == OK and b"[+]ironic ok" in said

    try:
        eventually(ready, within=60)
    except TimeoutError:
        pytest.fail(pod.runtime.log("operator")[-3000:])


def test_the_api_server_accepts_the_pod_in_both_places(pod: PodSite, api: KubeApi) -> None:
    sources = Sources.bootstrap()
    query = "dryRun=All&fieldValidation=Strict"
    static = static_pod(pod.settings, image=IMAGE, sources=sources)
    made = deployment(pod.settings, image=IMAGE, sources=sources)
    for path, body in (
        ("/api/v1/namespaces/metal3/pods", static),
        ("/apis/apps/v1/namespaces/metal3/deployments", made),
    ):
        accepted = on(pod, partial(api.request, "POST", f"{path}?{query}", body))
        assert accepted["kind"] == body["kind"]
