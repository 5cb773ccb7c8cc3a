"""What the tests of IPMI share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.faults.book import FaultBook
from tests.unit.lab.bmc.ipmi.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(FaultBook(tmp_path / "faults.json"))
