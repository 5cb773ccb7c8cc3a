"""One cluster, made once and lived in by all files of this folder, one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import yaml

from ingot.installer.phase import Phase
from tests.conformance.images import images
from tests.e2e.cluster import Cluster, created_cluster
from tests.e2e.conformance import made
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.workers import ADDED, Workers
from tests.full import FULL

LAB = f"ha{os.getpid()}"
OPTIONS = ("--control-plane", "3", "--workers", "2", "--spares", "1")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if FULL:
        made(images())  # Now: a compiler would starve the machines of a lab.
    folder = tmp_path_factory.mktemp("lab")
    with created_lab(folder, *OPTIONS, "--driver", "uml", "--bmc", "redfish", name=LAB) as lab:
        leave_out(lab, ADDED)
        with created_cluster(lab, killed_in=(Phase.HOSTS, Phase.WORKERS)) as there:
            yield there


@pytest.fixture(scope="session")
def workers(cluster: Cluster) -> Workers:
    return Workers(cluster)


def leave_out(lab: TestLab, host: str) -> None:
    """Take a host out of the install-config: somebody adds it later."""
    path = lab.directory / "install-config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    platform = content["platform"]["baremetal"]
    platform["hosts"] = [one for one in platform["hosts"] if one["name"] != host]
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
