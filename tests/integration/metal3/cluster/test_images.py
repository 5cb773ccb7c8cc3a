"""Copies of the images: fetched from a real nginx, gone on with, checked, and served again."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.metal3.cluster.images.fetching import FetchError, NoRoomError, fetched
from ingot.metal3.cluster.images.keeping import NoSourceError, kept
from ingot.metal3.cluster.images.serving import configuration
from ingot.metal3.cluster.options import ImageFile, Images
from ingot.payload.debianlayers import metal3_root
from tests.e2e.site import eventually
from tests.integration.ironic.root import inside, program
from tests.ports import free_port

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the image's root is entered as root")

MIB = 1 << 20
DISK = os.urandom(MIB) + bytes(4 * MIB) + os.urandom(MIB // 2) + bytes(2 * MIB)
FILES = {"disk.img": DISK, "kernel": b"a kernel", "initrd": os.urandom(3000)}
IMAGES = Images(
    files=tuple(
        ImageFile(name=name, sha256=hashlib.sha256(content).hexdigest())
        for name, content in FILES.items()
    )
)
DIGEST = hashlib.sha256(DISK).hexdigest()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    [made] = make(Store(), [metal3_root()], Silent())
    root = tmp_path_factory.mktemp("metal3") / "root"
    root.mkdir()
    tar = made.artefact.path / "root.tar"
    subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    yield root
    shutil.rmtree(root)


@pytest.fixture(scope="module")
def source(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the images as a copy does; return where."""
    served = root / "images"
    served.mkdir()
    (root / "scratch").mkdir()
    for name, content in FILES.items():
        (served / name).write_bytes(content)
    port = free_port()
    text = configuration(Path("/images"), Path("/scratch"), ipv6=False, port=port)
    (root / "nginx.conf").write_text(text, encoding="utf-8")
    url = f"http://127.0.0.1:{port}"
    log = tmp_path_factory.mktemp("nginx") / "log"
    with program(inside(root, "/usr/sbin/nginx", "-e", "stderr", "-c", "/nginx.conf"), log):
        eventually(lambda: answers(f"{url}/ready"), within=30, every=0.1)
        yield url


def answers(url: str) -> bool:
    asked = ["curl", "--silent", "--fail", "--output", "/dev/null", url]
    return subprocess.run(asked, check=False, timeout=10).returncode == 0


def fetch(source: str, path: Path, **changes: int) -> list[str]:
    said: list[str] = []
    fetched(f"{source}/disk.img", path, sha256=DIGEST, say=said.append, **changes)
    return said


def test_a_file_comes_whole_and_its_zeros_take_no_room(source: str, tmp_path: Path) -> None:
    path = tmp_path / "disk.img"
    fetch(source, path)
    assert path.read_bytes() == DISK
    assert path.stat().st_blocks * 512 < len(DISK) - 4 * MIB


def test_a_file_that_was_begun_is_gone_on_with(source: str, tmp_path: Path) -> None:
    path = tmp_path / "disk.img"
    path.write_bytes(DISK[: 3 * MIB])
    said = fetch(source, path)
    assert path.read_bytes() == DISK
    assert any("after 3" in line for line in said)


def test_a_file_that_is_here_is_not_fetched_again(source: str, tmp_path: Path) -> None:
    path = tmp_path / "disk.img"
    path.write_bytes(DISK)
    assert fetch(source, path) == []


@pytest.mark.parametrize("begun", [b"x" * MIB, b"x" * len(DISK), b"x" * (len(DISK) + 1)])
def test_a_file_with_another_checksum_is_removed(source: str, tmp_path: Path, begun: bytes) -> None:
    path = tmp_path / "disk.img"
    path.write_bytes(begun)
    with pytest.raises(FetchError, match="checksum"):
        fetch(source, path)
    assert not path.exists()
    fetch(source, path)
    assert path.read_bytes() == DISK


def test_a_node_without_room_keeps_what_it_needs_for_itself(source: str, tmp_path: Path) -> None:
    with pytest.raises(NoRoomError, match="needs 7 MiB"):
        fetch(source, tmp_path / "disk.img", reserve=shutil.disk_usage(tmp_path).free)


def test_a_copy_is_there_only_when_it_is_whole(source: str, tmp_path: Path) -> None:
    tries = iter([[], ["http://127.0.0.1:9"], ["http://127.0.0.1:9", source]])
    waits: list[float] = []
    whole = kept(IMAGES, lambda: next(tries), folder=tmp_path, wait=waits.append)
    assert whole == tmp_path / IMAGES.digest
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == FILES
    assert waits == [2.0, 4.0]
    assert [path.name for path in tmp_path.iterdir()] == [IMAGES.digest]


def test_a_copy_that_is_there_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / IMAGES.digest).mkdir()
    kept(IMAGES, lambda: pytest.fail("asked"), folder=tmp_path)


def test_a_copy_of_other_images_goes_when_this_one_is_whole(tmp_path: Path) -> None:
    for name in (IMAGES.digest, "0123456789abcdef"):
        (tmp_path / name).mkdir()
    kept(IMAGES, list, folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [IMAGES.digest]


def test_without_a_source_it_ends_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoSourceError, match="nobody has them"):
        kept(IMAGES, list, folder=tmp_path, within=-1, wait=lambda _: None)


def test_a_copy_can_be_read_and_not_written(source: str) -> None:
    words = ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}"]
    put = subprocess.run(
        [*words, "--upload-file", "/etc/hostname", f"{source}/new"],
        check=True, capture_output=True, text=True, timeout=10,
    )  # fmt: skip
    assert put.stdout in {"403", "405"}
