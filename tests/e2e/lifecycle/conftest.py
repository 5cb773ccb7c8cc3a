"""A place for labs, and one lab in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.lab import lifecycle
from ingot.lab.labs import Lab
from tests.e2e.lifecycle.labs import NAME, OTHER, created


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for labs; whatever a test leaves there is removed after it."""
    place = tmp_path / "state"
    monkeypatch.setenv("INGOT_STATE", str(place))
    yield place
    for name in (NAME, OTHER):
        lifecycle.destroy(name)


@pytest.fixture
def lab(state: Path) -> Lab:
    del state
    return created()
