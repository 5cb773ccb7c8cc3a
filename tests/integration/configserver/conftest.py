"""One API server for all tests here, and a config server for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.configserver.office import Office, running
from tests.integration.kubeapi import KubeApi, kube_api


@pytest.fixture(scope="session")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("kubeapi")) as started:
        started.request("POST", "/api/v1/namespaces", {"metadata": {"name": "ingot-infra"}})
        yield started


@pytest.fixture
def api(shared_api: KubeApi) -> KubeApi:
    """Return the API server, running even if the test before has killed it."""
    shared_api.ensure_api()
    return shared_api


@pytest.fixture
def office(api: KubeApi, tmp_path: Path) -> Iterator[Office]:
    with running(api, tmp_path) as started:
        yield started
