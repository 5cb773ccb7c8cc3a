"""Kubernetes' own tests of networks, services, DNS and workloads pass: `make test-full`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance.wanted import BATCHES
from tests.e2e.cluster import Cluster
from tests.e2e.conformance import Conformance, Verdict
from tests.full import only_in_full

pytestmark = only_in_full

WANTED = [(about, name) for about, names in BATCHES.items() for name in names]

Verdicts = dict[str, Verdict]
"""By the names of tests."""


@pytest.fixture(scope="module")
def verdicts(
    cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Verdicts]:
    folder = tmp_path_factory.mktemp("conformance") / "batches"
    judge = Conformance(cluster.directory / "auth/kubeconfig", folder)
    key = cluster.directory / "lab-ssh-key"
    judge.send_images(namespace=cluster.lab.plan.namespace, key=key)
    found: dict[str, Verdicts] = {}

    def of(about: str) -> Verdicts:
        if about not in found:
            found[about] = judge.run(about)
        return found[about]

    return of


@pytest.mark.parametrize(("about", "name"), WANTED, ids=[name for _, name in WANTED])
def test_conformance(
    verdicts: Callable[[str], Verdicts],
    record_property: Callable[[str, object], None],
    about: str,
    name: str,
) -> None:
    verdict = verdicts(about)[name]
    record_property("seconds", round(verdict.seconds, 1))
    assert verdict.passed, f"{verdict.status}: {verdict.said}"
