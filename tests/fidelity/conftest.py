"""QEMU, and a folder for each PC."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from ingot.osimage.qemu import qemu_tree
from tests.fidelity.pc import Chassis


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.geteuid() == 0:
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="what the PCs boot can only be built by root"))


def built(recipe: Recipe) -> Path:
    """Return the folder of a result, made if it is not there."""
    return make(Store(), [recipe], Silent())[-1].artefact.path


@pytest.fixture
def chassis(tmp_path: Path) -> Chassis:
    return Chassis(built(qemu_tree()), tmp_path)
