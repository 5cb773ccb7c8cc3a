"""What several tests of real daemons share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.binaries import coredns
from tests.e2e.site import eventually
from tests.integration.onprem.holding import settled, well
from tests.integration.onprem.monitored import Monitored, control_plane
from tests.onprem_site.prober import Prober, watching


@pytest.fixture(scope="session")
def coredns_program() -> Path:
    """Return the CoreDNS that the node image has; compiled, if it was not yet."""
    return make(Store(), [coredns()], Silent())[-1].artefact.path / "coredns"


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """Three nodes, each with an API server and a monitor. Tests leave all of that running."""
    with control_plane(tmp_path_factory.mktemp("trio"), coredns_program, nodes=3) as found:
        yield found


@pytest.fixture
def seen(trio: Monitored) -> Iterator[Prober]:
    """The observer, from a moment on at which all is well."""
    with watching(trio.site, trio.api_vip) as prober:
        eventually(lambda: well(trio), within=60, every=0.2)
        yield prober
        trio.faults.undo()
        eventually(lambda: settled(trio), within=60, every=0.2)
