"""One API server for all tests here; each has a namespace of its own in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.integration.kube.widgets import DEFINITION
from tests.integration.kubeapi import KubeApi, kube_api

_numbers = count()


@pytest.fixture(scope="session")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("kubeapi")) as started:
        started.install(DEFINITION)
        yield started


@pytest.fixture
def api(shared_api: KubeApi) -> KubeApi:
    """Return the API server, running even if the test before has killed it."""
    shared_api.ensure_api()
    return shared_api


@pytest.fixture
def namespace(api: KubeApi) -> str:
    name = f"test-{next(_numbers)}"
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    return name
