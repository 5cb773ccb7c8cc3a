"""The media holds what it should, in little room, and the same every time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, Workshop, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Artefact, Store
from ingot.osimage.disk import disk_tools
from ingot.osimage.mediaimage import FACTS, LABEL, MEDIA, Part, media

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the tools' root is entered as root only")

MIB = 1 << 20
DISK_BYTES = 700 * MIB
CONTENT = os.urandom(3 * MIB)
HOLE = 500 * MIB


def built(folder: Path) -> Artefact:
    """Return media of a made-up disk and kernel, built from nothing but the tools."""
    store = Store(folder)
    store.prepare()
    tools = make(Store(), [disk_tools()], Silent())[-1].artefact
    (store.results / disk_tools().label).symlink_to(tools.path)

    def build(workshop: Workshop) -> None:
        with (workshop.out / "disk.img").open("wb") as file:
            file.truncate(DISK_BYTES)
            file.write(CONTENT)
            file.seek(HOLE)
            file.write(CONTENT)
        (workshop.out / "linux").write_bytes(b"a kernel")
        (workshop.out / "linux").chmod(0o755)

    source = Recipe("made-up", build)
    parts = {"disk.img": Part(source, "disk.img"), "kernel": Part(source, "linux")}
    made = make(store, [media("media-made-up", parts)], Silent())
    (kernel,) = store.results.glob("made-up-*/linux")
    assert kernel.stat().st_mode & 0o777 == 0o755
    return made[-1].artefact


@pytest.fixture(scope="module")
def artefact(tmp_path_factory: pytest.TempPathFactory) -> Artefact:
    return built(tmp_path_factory.mktemp("media"))


def seen(*command: str | Path) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout


def test_it_is_found_by_its_label(artefact: Artefact) -> None:
    found = seen("/sbin/blkid", "-o", "value", "-s", "LABEL", artefact.path / MEDIA)
    assert found.strip() == LABEL == "INGOT-MEDIA"


def test_it_is_a_whole_file_system(artefact: Artefact) -> None:
    seen("/sbin/e2fsck", "-f", "-n", artefact.path / MEDIA)


def test_the_disk_comes_out_as_it_went_in(artefact: Artefact, tmp_path: Path) -> None:
    out = tmp_path / "disk.img"
    seen("/sbin/debugfs", "-R", f"dump /disk.img {out}", artefact.path / MEDIA)
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    facts = json.loads((artefact.path / FACTS).read_text("utf-8"))
    assert facts["files"]["disk.img"] == {"size": DISK_BYTES, "sha256": digest}
    told = seen("/sbin/debugfs", "-R", "cat /disk.img.sha256", artefact.path / MEDIA)
    assert told == f"{digest}  disk.img\n"


def test_holes_take_no_room(artefact: Artefact) -> None:
    media_bytes = (artefact.path / MEDIA).stat().st_size
    assert 2 * len(CONTENT) < media_bytes < 2 * len(CONTENT) + 40 * MIB


def test_the_same_parts_give_the_same_media(artefact: Artefact, tmp_path: Path) -> None:
    again = built(tmp_path)
    assert again.files[MEDIA] == artefact.files[MEDIA]
