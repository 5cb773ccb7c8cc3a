"""The root of the metal3 image, and one Ironic in it that the tests of a module share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.ironic.service import Service, running, unpacked_root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.geteuid() == 0:
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="the image's root is entered as root only"))


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    unpacked = unpacked_root(tmp_path_factory.mktemp("metal3"))
    yield unpacked
    shutil.rmtree(unpacked)  # pytest would keep three of them, of 400 MB each


@pytest.fixture(scope="module")
def service(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(root, tmp_path_factory.mktemp("ironic")) as started:
        yield started
