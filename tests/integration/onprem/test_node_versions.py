"""The keepalived and haproxy of the node image, another Debian's than this machine's may be."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.artefact.store import Store
from ingot.machine import namespaces
from ingot.onprem.haproxy import haproxy_of
from ingot.onprem.keepalived import keepalived_of
from ingot.onprem.redirect import TABLE, is_loaded, redirect_of
from ingot.payload.debianlayers import ROOT, debian_layers
from ingot.process import run
from tests.integration.onprem.wires import wired
from tests.unit.onprem.situations import V4, V6, situation

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.fixture(scope="session")
def image() -> Iterator[Path]:
    made = Store().find(debian_layers().onprem.needs[-1])
    if made is None:
        pytest.skip("the images of the payload are not built")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(made.path / ROOT) as archive:
        needed = [one for one in archive if not one.name.startswith("./usr/share/")]
        archive.extractall(folder, needed, filter="tar")
        yield Path(folder)


@pytest.fixture
def space() -> Iterator[str]:
    with wired({"node": ["10.9.0.11/24", "fd09::11/64"]}) as spaces:
        yield spaces["node"]


@pytest.mark.parametrize("name", ["bootstrap", "master-0", "worker-0"])
def test_keepalived_of_the_node_image_accepts_what_is_rendered(
    image: Path, space: str, name: str
) -> None:
    rendered = keepalived_of(situation(name, V4, V6), run=Path("/tmp"))  # noqa: S108 - the image's
    assert rendered is not None
    (image / "tmp" / "keepalived.conf").write_text(rendered.render())
    check: list[str | Path] = ["chroot", image, "keepalived", "-t", "-f", "/tmp/keepalived.conf"]  # noqa: S108
    namespaces.inside(space, lambda: run(check))


def test_haproxy_of_the_node_image_accepts_what_is_rendered(image: Path) -> None:
    rendered = haproxy_of(situation("master-0", V4, V6), socket=Path("/tmp/socket"))  # noqa: S108
    assert rendered is not None
    (image / "tmp" / "haproxy.cfg").write_text(rendered.render())
    run(["chroot", image, "haproxy", "-c", "-f", "/tmp/haproxy.cfg"])  # noqa: S108


def test_nftables_of_the_node_image_shows_again_what_is_rendered(image: Path, space: str) -> None:
    wanted = redirect_of(situation("master-0", V4, V6))

    def loaded() -> str:
        run(["chroot", image, "nft", "-f", "-"], stdin=wanted.render())
        return run(["chroot", image, "nft", "-j", "list", "table", "inet", TABLE])

    assert is_loaded(wanted, namespaces.inside(space, loaded))
