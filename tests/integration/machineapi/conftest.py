"""One API server for all tests here; each has a namespace of its own in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.clinic import machine_api


@pytest.fixture(scope="session")
def machine_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with machine_api(tmp_path_factory.mktemp("machines")) as started:
        yield started
