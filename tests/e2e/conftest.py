"""The artefacts that machines are made of, built if they are not there, and the site."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.osimage.flavours import lab_image
from ingot.osimage.kernel import lab_kernel
from tests.e2e.site import Site, call, opened_site
from tests.e2e.uml import Hardware


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.geteuid() == 0:
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="machines and their networks need root"))


@pytest.fixture(scope="session")
def hardware(tmp_path_factory: pytest.TempPathFactory) -> Hardware:
    key = tmp_path_factory.mktemp("key") / "id"
    call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    store = Store()
    kernel, image = lab_kernel(), lab_image()
    made = {one.artefact.key: one.artefact.path for one in make(store, [kernel, image], Silent())}
    return Hardware(made[kernel.key] / "linux", made[image.key] / "disk.img", key)


@pytest.fixture
def public_key(hardware: Hardware) -> str:
    return hardware.key.with_suffix(".pub").read_text(encoding="utf-8").strip()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with opened_site(tmp_path) as opened:
        yield opened
