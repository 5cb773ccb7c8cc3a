"""Clusters of one family."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.hostgateway.clusters import OUTSIDE, WITHIN, clustered
from tests.integration.hostgateway.conftest import Installed
from tests.integration.hostgateway.spaces import sysctl
from tests.integration.hostgateway.talking import known_as, listening

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.mark.parametrize("version", [4, 6], ids=["IPv4", "IPv6"])
def test_two_nodes_of_one_family(
    installed: Installed, plugins: Path, tmp_path: Path, version: int
) -> None:
    with clustered(
        installed.api,
        installed.kubeconfig,
        tmp_path,
        plugins,
        versions=(version,),
        names=("a", "b"),
    ) as cluster:
        one, other = (cluster.runtime(name).add("pod") for name in cluster.names)
        try:
            with listening(other.space), listening(cluster.spaces["world"]):
                for where, known in (
                    (other.at(version), one.at(version)),
                    (OUTSIDE[version], cluster.address("a", version)),
                ):
                    seen = eventually(
                        lambda where=where: known_as(one.space, where),  # type: ignore[misc]
                        within=WITHIN,
                        every=0.1,
                    )
                    assert seen == known
        finally:
            one.remove()
            other.remove()
        forwards = sysctl(cluster.spaces["a"], "ipv4/ip_forward")
        assert forwards == ("1" if version == 4 else "0")
