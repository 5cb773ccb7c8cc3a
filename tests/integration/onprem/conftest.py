"""What several tests of real daemons share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.binaries import coredns


@pytest.fixture(scope="session")
def coredns_program() -> Path:
    """Return the CoreDNS that the node image has; compiled, if it was not yet."""
    return make(Store(), [coredns()], Silent())[-1].artefact.path / "coredns"
