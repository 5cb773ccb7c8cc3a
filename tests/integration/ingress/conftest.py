"""Traefik is no part of the payload yet: it is compiled for these tests, which takes minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.full import FULL


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if FULL:
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="compiles Traefik: `make test-full`"))
