"""The API server of the folder above, and a namespace of its own for each test."""

from __future__ import annotations

from itertools import count

import pytest

from tests.integration.kubeapi import KubeApi

_numbers = count()


@pytest.fixture
def machine_api(machine_kube: KubeApi) -> KubeApi:
    return machine_kube


@pytest.fixture
def namespace(machine_api: KubeApi) -> str:
    name = f"metal3-{next(_numbers)}"
    machine_api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    return name
