"""The real archive of images: containerd takes it, kubeadm finds its names, and programs run."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingot import __version__, process
from ingot.artefact.building import Silent, make
from ingot.artefact.recipe import Recipe, in_order
from ingot.artefact.store import Artefact, Store
from ingot.payload.binaries import containerd, kubernetes
from ingot.payload.images import ARCHIVE, ImageFacts, images, read_facts
from ingot.payload.ourimages import METAL3, ONPREM, TRAEFIK
from ingot.payload.versions import versions
from tests.full import only_in_full
from tests.integration.containers import PrivateContainerd, private_containerd

MEGABYTE = 1_000_000

LIMITS = {
    "kube-apiserver": 115,
    "kube-controller-manager": 105,
    "kube-scheduler": 80,
    "kube-proxy": 210,
    "etcd": 75,
    "coredns/coredns": 80,
    "pause": 2,
    "metal3": 480,
    "onprem": 320,
    "traefik": 200,
}
"""Megabytes an image may have, unpacked."""

ARCHIVE_LIMIT = 1_250 * MEGABYTE
"""All of it; what several images have in common counts once."""


def build(recipe: Recipe) -> Artefact:
    if os.geteuid() != 0:
        pytest.fail("images stand on Debian roots, which only root can make: run this with sudo")
    return make(Store(), [recipe], Silent())[-1].artefact


@pytest.fixture(scope="module")
def archive() -> Path:
    return build(images()).path


@pytest.fixture(scope="module")
def facts(archive: Path) -> dict[str, ImageFacts]:
    return {name: one for one in read_facts(archive) for name in one.names}


@pytest.fixture(scope="module")
def store(archive: Path) -> Iterator[PrivateContainerd]:
    with private_containerd(build(containerd()).path) as started:
        started.ctr("images", "import", "--local", archive / ARCHIVE)
        yield started


@pytest.fixture(scope="module")
def metal3(store: PrivateContainerd) -> Path:
    return store.mount(METAL3)


@pytest.fixture(scope="module")
def onprem(store: PrivateContainerd) -> Path:
    return store.mount(ONPREM)


def blobs(archive: Path) -> dict[str, Any]:
    """Return every small blob of an archive, parsed: index, manifests and configurations."""
    with tarfile.open(archive / ARCHIVE) as tar:
        return {
            member.name.rpartition("/")[2]: json.load(stream)
            for member in tar
            if member.isreg() and member.size < MEGABYTE
            if (stream := tar.extractfile(member)) and stream.read(1) == b"{"
            if stream.seek(0) == 0
        }


def test_every_image_that_kubeadm_asks_for_is_there(store: PrivateContainerd) -> None:
    kubeadm = build(kubernetes()).path / "kubeadm"
    version = f"v{versions().kubernetes}"
    listed = process.run([kubeadm, "config", "images", "list", "--kubernetes-version", version])
    there = store.ctr("images", "list", "--quiet").split()
    assert set(listed.split()) <= set(there)
    assert {METAL3, ONPREM, TRAEFIK} <= set(there)


def test_every_image_is_unpacked_and_complete(store: PrivateContainerd) -> None:
    lines = store.ctr("images", "check").splitlines()[1:]
    assert lines
    assert all(" complete " in line and line.split()[-1] == "true" for line in lines), lines


def test_the_list_says_what_is_in_the_archive(archive: Path, facts: dict[str, ImageFacts]) -> None:
    found = blobs(archive)
    entries = {
        entry["annotations"]["io.containerd.image.name"]: entry
        for entry in found["index.json"]["manifests"]
    }
    assert entries.keys() == facts.keys()
    for name, entry in entries.items():
        manifest = found[entry["digest"].removeprefix("sha256:")]
        sizes = [layer["size"] for layer in manifest["layers"]]
        assert facts[name].digest == entry["digest"]
        assert facts[name].size == sum(sizes) + manifest["config"]["size"] + entry["size"]
        assert [layer.digest for layer in facts[name].layers] == [
            layer["digest"] for layer in manifest["layers"]
        ]


def test_every_image_is_labelled_with_what_it_is(
    archive: Path, facts: dict[str, ImageFacts]
) -> None:
    found = blobs(archive)
    for name, one in facts.items():
        manifest = found[one.digest.removeprefix("sha256:")]
        config = found[manifest["config"]["digest"].removeprefix("sha256:")]
        labels = config["config"]["Labels"]
        assert labels["org.opencontainers.image.version"] == one.version
        assert labels["org.opencontainers.image.title"] == name.rpartition("/")[2].split(":")[0]
        assert labels["org.opencontainers.image.source"]
        assert one.origin


def test_images_are_within_their_limits(facts: dict[str, ImageFacts]) -> None:
    too_large = {
        name: one.size / MEGABYTE
        for name, one in facts.items()
        if one.size > LIMITS[name.partition("/")[2].rpartition(":")[0]] * MEGABYTE
    }
    assert not too_large


def test_what_images_share_is_there_once(archive: Path, facts: dict[str, ImageFacts]) -> None:
    names = [f"{versions().image_registry}/kube-proxy:v{versions().kubernetes}", METAL3, ONPREM]
    below = {facts[name].layers[0] for name in names}
    own = {facts[name].layers[-1] for name in (METAL3, ONPREM)}
    assert {layer.name for layer in below} == {"base"}
    assert {layer.name for layer in own} == {"ingot"}
    assert len(below) == len(own) == 1
    assert (archive / ARCHIVE).stat().st_size < ARCHIVE_LIMIT


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ingot-node version", f"ingot-node {__version__}"),
        ("dnsmasq --version", "DHCP"),
        ("nginx -t", "test is successful"),
        ("ipmitool -V", "ipmitool version"),
        ("qemu-img --version", "qemu-img version"),
        ("mkisofs --version", "xorriso"),
        ("mcopy --version", "mtools"),
        ("sqlite3 --version", "3."),
        ("ls /usr/lib/ipxe/undionly.kpxe /usr/lib/ipxe/snponly.efi", "snponly.efi"),
        ("ls /usr/lib/ISOLINUX/isolinux.bin /usr/share/ingot/esp.img", "esp.img"),
        ("ls /usr/lib/syslinux/modules/bios/ldlinux.c32", "ldlinux.c32"),
    ],
)
def test_metal3_has_what_ironic_and_its_neighbours_call(
    store: PrivateContainerd, metal3: Path, command: str, said: str
) -> None:
    assert said in in_root(store, metal3, command)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ingot-node version", f"ingot-node {__version__}"),
        ("keepalived -v", "Keepalived v"),
        ("haproxy -v", "HAProxy version"),
        ("coredns -version", f"CoreDNS-{versions().coredns}"),
        ("nft --version", "nftables v"),
        ("ip -V", "iproute2"),
    ],
)
def test_onprem_has_what_keeps_the_vips(
    store: PrivateContainerd, onprem: Path, command: str, said: str
) -> None:
    assert said in in_root(store, onprem, command)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("kube-proxy --version", f"v{versions().kubernetes}"),
        ("nft --version", "nftables v"),
        ("iptables --version", "nf_tables"),
        ("ip6tables --version", "nf_tables"),
        ("conntrack --version", "conntrack v"),
    ],
)
def test_kube_proxy_has_the_programs_it_calls(
    store: PrivateContainerd, kube_proxy: Path, command: str, said: str
) -> None:
    assert said in in_root(store, kube_proxy, command)


@pytest.fixture(scope="module")
def kube_proxy(store: PrivateContainerd) -> Path:
    return store.mount(f"{versions().image_registry}/kube-proxy:v{versions().kubernetes}")


@pytest.mark.parametrize(
    ("image", "command", "said"),
    [
        ("{registry}/kube-apiserver:v{kubernetes}", "kube-apiserver --version", "{kubernetes}"),
        ("{registry}/kube-scheduler:v{kubernetes}", "kube-scheduler --version", "{kubernetes}"),
        (
            "{registry}/kube-controller-manager:v{kubernetes}",
            "kube-controller-manager --version",
            "{kubernetes}",
        ),
        ("{registry}/etcd:{etcd_tag}", "etcd --version", "{etcd}"),
        ("{registry}/etcd:{etcd_tag}", "etcdctl version", "{etcd}"),
        ("{registry}/etcd:{etcd_tag}", "etcdutl version", "{etcd}"),
        ("{registry}/coredns/coredns:{coredns_tag}", "/coredns -version", "{coredns}"),
        ("{registry}/pause:{pause_tag}", "/pause -v", "pause.c"),
        (TRAEFIK, "traefik version", "{traefik}"),
    ],
)
def test_a_static_program_runs_with_nothing_around_it(
    store: PrivateContainerd, tmp_path: Path, image: str, command: str, said: str
) -> None:
    pinned = {name: getattr(versions(), name) for name in versions().__slots__}
    name = image.format(registry=versions().image_registry, **pinned)
    store.ctr("images", "mount", name, tmp_path)
    try:
        assert said.format(**pinned) in in_root(store, tmp_path, command)
    finally:
        store.ctr("images", "unmount", "--rm", tmp_path)


IRONIC_CONF = """\
[DEFAULT]
auth_strategy = noauth
host = test
rpc_transport = none
default_deploy_interface = direct
enabled_hardware_types = ipmi,redfish,fake-hardware
enabled_boot_interfaces = ipxe,redfish-virtual-media,fake
enabled_management_interfaces = ipmitool,redfish,fake
enabled_power_interfaces = ipmitool,redfish,fake
enabled_inspect_interfaces = agent,redfish,fake,no-inspect
enabled_network_interfaces = noop
isolinux_bin = /usr/lib/ISOLINUX/isolinux.bin
ldlinux_c32 = /usr/lib/syslinux/modules/bios/ldlinux.c32
[database]
connection = sqlite:////tmp/ironic.sqlite
[api]
unix_socket = /tmp/ironic.sock
[deploy]
http_root = /tmp
"""


@pytest.fixture(scope="module")
def ironic(store: PrivateContainerd, metal3: Path) -> Path:
    """Return the root of an Ironic that is configured and has its database."""
    write_in(store, metal3, "ironic.conf", IRONIC_CONF)
    in_root(store, metal3, "ironic-dbsync --config-file /tmp/ironic.conf create_schema")
    return metal3


def test_ironic_makes_its_database(store: PrivateContainerd, ironic: Path) -> None:
    tables = in_root(store, ironic, "sqlite3 /tmp/ironic.sqlite .tables")
    assert {"nodes", "ports", "conductors"} <= set(tables.split())


STARTED_IRONIC = """\
import http.client, json, socket, subprocess, time
log = open("/tmp/ironic.log", "w")
command = ["ironic", "--config-file", "/tmp/ironic.conf"]
service = subprocess.Popen(command, stdout=log, stderr=log)
names, deadline = [], time.monotonic() + 120
while not names and service.poll() is None and time.monotonic() < deadline:
    try:
        connection = http.client.HTTPConnection("ironic")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect("/tmp/ironic.sock")
        connection.request("GET", "/v1/drivers")
        names = [one["name"] for one in json.load(connection.getresponse())["drivers"]]
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        time.sleep(0.2)
service.terminate()
try:
    service.wait(30)
finally:
    service.kill()
print("answered:", *sorted(names))
if not names:
    print(open("/tmp/ironic.log").read()[-4000:])
"""


def test_ironic_starts_and_answers(store: PrivateContainerd, ironic: Path) -> None:
    assert "answered: fake-hardware ipmi redfish" in python_in(store, ironic, STARTED_IRONIC)


def test_ironic_derives_no_key_to_find_a_session(store: PrivateContainerd, metal3: Path) -> None:
    script = """\
import hashlib, sys
sys.path.insert(0, "/opt/ironic/lib")
from ironic.drivers.modules.redfish import utils
del hashlib.pbkdf2_hmac
def key(**info):
    return utils.SessionCache({"address": "https://a", "username": "u", **info})._session_key
print(key(password="p") == key(password="p"), key(password="p") == key(password="q"))
"""
    assert python_in(store, metal3, script).split() == ["True", "False"]


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
def test_ironic_makes_a_cd_that_starts(
    store: PrivateContainerd, ironic: Path, firmware: str
) -> None:
    script = f"""\
import sys
sys.path.insert(0, "/opt/ironic/lib")
from ironic.common import images, service
service.prepare_service("ironic", ["ironic", "--config-file", "/tmp/ironic.conf"])
open("/tmp/kernel", "w").write("kernel")
open("/tmp/ramdisk", "w").write("ramdisk")
if "{firmware}" == "uefi":
    images.create_esp_image_for_uefi(
        "/tmp/{firmware}.iso", "/tmp/kernel", "/tmp/ramdisk",
        esp_image="/usr/share/ingot/esp.img", kernel_cmd_line="quiet")
else:
    images.create_isolinux_image_for_bios(
        "/tmp/{firmware}.iso", "/tmp/kernel", "/tmp/ramdisk", kernel_cmd_line="quiet")
"""
    python_in(store, ironic, script)
    report = in_root(store, ironic, f"xorriso -indev /tmp/{firmware}.iso -report_el_torito plain")
    assert f"El Torito boot img :   1  {firmware.upper()}" in report


@only_in_full
def test_a_second_build_gives_the_same_digests(archive: Path, tmp_path: Path) -> None:
    """What comes from outside is an input: binaries and Debian roots are taken as they are."""
    first, second = Store(), Store(tmp_path / "second")
    second.prepare()
    wanted = images()
    for recipe in in_order(wanted):
        if not recipe.needs:
            made = first.find(recipe)
            assert made is not None
            (second.results / recipe.label).symlink_to(made.path)
    (second.downloads / "uv").symlink_to(first.downloads / "uv")
    again = make(second, [wanted], Silent())
    unequal = [
        one.artefact.name
        for one, recipe in zip(again, in_order(wanted), strict=True)
        if (kept := first.find(recipe)) is None or kept.digest != one.artefact.digest
    ]
    assert [one.artefact.name for one in again if not one.cached]
    assert not unequal
    assert (again[-1].artefact.path / ARCHIVE).samefile(archive / ARCHIVE) is False


def in_root(store: PrivateContainerd, root: Path, command: str) -> str:
    """Run a command in an image; what it says on either channel is returned."""
    merged = ("sh", "-c", 'exec "$@" 2>&1', "merged")
    return store.inside(*merged, "chroot", root, *command.split())


def python_in(store: PrivateContainerd, root: Path, script: str) -> str:
    return store.inside("chroot", root, "/usr/bin/python3", "-IB", "-c", script)


def write_in(store: PrivateContainerd, root: Path, name: str, text: str) -> None:
    store.inside("sh", "-c", 'printf %s "$1" > "$2"', "write", text, root / "tmp" / name)
