"""The node image as built: nothing of a machine's own in it, and disks that programs accept."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from ingot import process
from ingot.artefact.building import Silent, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Artefact, Store
from ingot.osimage.bolt import read_database
from ingot.osimage.disk import ESP_START, ROOT_ARGUMENT, ROOT_START, disk_tools
from ingot.osimage.flavours import lab_image, metal_image
from ingot.osimage.node import node_root
from ingot.payload.versions import versions

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a Debian root is only made by root")

MEGABYTE = 1_000_000
ROOT_TYPE = "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709"
ESP_TYPE = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"


def built(recipe: Recipe) -> Artefact:
    return make(Store(), [recipe], Silent())[-1].artefact


@pytest.fixture(scope="module")
def root() -> Iterator[tarfile.TarFile]:
    with tarfile.open(built(node_root()).path / "root.tar") as tar:
        yield tar


@pytest.fixture(scope="module")
def names(root: tarfile.TarFile) -> set[str]:
    return set(root.getnames())


class Tools:
    """The programs that disks are made with, to look at them again."""

    def __init__(self, home: Path, disk: Path) -> None:
        tar = built(disk_tools()).path / "root.tar"
        process.run(["tar", "--extract", "--file", tar, "--directory", home])
        process.run(["cp", "--sparse=always", "--reflink=auto", disk, home / "disk"])
        self.home = home

    def run(self, *command: str) -> str:
        return process.run(["chroot", self.home, *command])

    def text_on_esp(self, name: str) -> str:
        return self.run("mtype", "-i", f"/disk@@{ESP_START}", f"::/{name}")


def text(root: tarfile.TarFile, name: str) -> str:
    file = root.extractfile(f"./{name}")
    assert file is not None
    return file.read().decode()


def test_machine_id_is_empty_but_there(root: tarfile.TarFile) -> None:
    assert text(root, "etc/machine-id") == ""


def test_nobody_has_a_password(root: tarfile.TarFile) -> None:
    secrets = {line.split(":")[1] for line in text(root, "etc/shadow").splitlines()}
    assert secrets <= {"*", "!", "!*"}


@pytest.mark.parametrize(
    "program", ["ingot-node", "kubeadm", "kubelet", "kubectl", "containerd", "ctr", "runc"]
)
def test_node_has_what_it_runs(names: set[str], program: str) -> None:
    folders = ("usr/bin", "usr/sbin", "usr/local/bin")
    assert names & {f"./{folder}/{program}" for folder in folders}


@pytest.mark.parametrize(
    "leftover",
    [
        "./etc/ssh/ssh_host_",
        "./etc/hostname",
        "./var/lib/apt/lists/",
        "./var/log/",
        "./var/cache/apt/",
        "./var/lib/containerd/io.containerd.grpc.v1.introspection",
    ],
)
def test_nothing_is_left_of_the_building(names: set[str], leftover: str) -> None:
    assert not [name for name in names if name.startswith(leftover)]


def test_kubernetes_and_its_runtime_are_there(names: set[str]) -> None:
    programs = ("kubeadm", "kubectl", "kubelet", "containerd", "containerd-shim-runc-v2", "ctr")
    assert {f"./usr/local/bin/{program}" for program in programs} <= names
    assert {"./opt/cni/bin/bridge", "./opt/cni/bin/portmap", "./usr/bin/ingot-node"} <= names


def test_images_are_in_containerds_store(root: tarfile.TarFile) -> None:
    pinned = versions()
    known = root.extractfile("./var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db")
    assert known is not None
    content = known.read()
    for image in (f"kube-apiserver:v{pinned.kubernetes}", f"pause:{pinned.pause_tag}"):
        assert f"{pinned.image_registry}/{image}".encode() in content


def test_every_layer_of_every_image_is_unpacked_and_none_kept_beside(
    root: tarfile.TarFile, names: set[str]
) -> None:
    store = "var/lib/containerd/io.containerd"
    known = root.extractfile(f"./{store}.metadata.v1.bolt/meta.db")
    assert known is not None
    ours = read_database(known.read()).buckets[b"v1"].buckets[b"k8s.io"].buckets
    unpacked = ours[b"snapshots"].buckets[b"overlayfs"].buckets.keys()

    def blob(digest: str) -> str:
        return f"{store}.content.v1.content/blobs/{digest.replace(':', '/')}"

    assert len(ours[b"images"].buckets) >= 9
    for image in ours[b"images"].buckets.values():
        digest = image.buckets[b"target"].values[b"digest"].decode()
        manifest = json.loads(text(root, blob(digest)))
        config = json.loads(text(root, blob(manifest["config"]["digest"])))
        chain = ""
        for layer in config["rootfs"]["diff_ids"]:
            chain = f"sha256:{sha256(f'{chain} {layer}'.encode()).hexdigest()}" if chain else layer
            assert chain.encode() in unpacked
        assert not names & {f"./{blob(layer['digest'])}" for layer in manifest["layers"]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    tools = Tools(tmp_path_factory.mktemp("lab"), built(lab_image()).path / "disk.img")
    yield tools
    shutil.rmtree(tools.home)  # Gigabytes, which pytest would keep to the end of all tests.


@pytest.fixture(scope="module")
def metal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    tools = Tools(tmp_path_factory.mktemp("metal"), built(metal_image()).path / "disk.raw")
    yield tools
    shutil.rmtree(tools.home)


@pytest.fixture(params=["lab", "metal"])
def tools(request: pytest.FixtureRequest) -> Tools:
    flavour: Tools = request.getfixturevalue(request.param)
    return flavour


def test_partitions_are_found_by_their_types(tools: Tools) -> None:
    table = json.loads(tools.run("sfdisk", "--json", "/disk"))["partitiontable"]
    assert [part["type"] for part in table["partitions"]] == [ESP_TYPE, ROOT_TYPE]
    assert ROOT_ARGUMENT.lower().endswith(table["partitions"][1]["uuid"].lower())


def test_root_is_a_sound_file_system(tools: Tools) -> None:
    tools.run("e2fsck", "-f", "-n", f"/disk?offset={ROOT_START}")


def test_boot_loader_entry_says_where_the_root_is(tools: Tools) -> None:
    assert ROOT_ARGUMENT in tools.text_on_esp("loader/entries/ingot.conf").split()


def test_metal_has_a_kernel_a_ramdisk_and_a_boot_loader(metal: Tools) -> None:
    listed = metal.run("mdir", "-b", "-/", "-i", f"/disk@@{ESP_START}", "::/").split()
    assert {"::/EFI/BOOT/BOOTX64.EFI", "::/ingot/vmlinuz", "::/ingot/initrd.img"} <= set(listed)
    entry = metal.text_on_esp("loader/entries/ingot.conf").split()
    assert {"console=tty0", "console=ttyS0,115200"} <= set(entry)


def test_lab_has_no_kernel(lab: Tools) -> None:
    listed = lab.run("mdir", "-b", "-/", "-i", f"/disk@@{ESP_START}", "::/").split()
    assert sorted(name for name in listed if not name.endswith("/")) == [
        "::/loader/entries/ingot.conf",
        "::/loader/loader.conf",
    ]


def test_images_keep_their_size() -> None:
    assert built(lab_image()).files["disk.img"].size < 2_800 * MEGABYTE
    assert built(metal_image()).files["disk.qcow2"].size < 1_000 * MEGABYTE
