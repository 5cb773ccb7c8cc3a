"""Sites for the tests of the bed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.onprem_site.faults import Faults
from tests.onprem_site.plan import Families, Plan
from tests.onprem_site.site import Site, opened_site

SMALL = Plan(control=3, workers=0, bootstrap=False, families=Families.DUAL, clocks=True)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Three control-plane nodes, with IPv4 and IPv6."""
    with opened_site(tmp_path, SMALL) as opened:
        yield opened


@pytest.fixture
def faults(site: Site) -> Iterator[Faults]:
    """What goes wrong there; nothing after the test."""
    found = Faults(site)
    yield found
    found.undo()
