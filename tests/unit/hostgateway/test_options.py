"""What the environment says."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from ingot.hostgateway.options import OptionsError, read
from tests.unit.hostgateway.clusters import CLUSTER

ENOUGH = {"NODE_NAME": "a", "INGOT_CLUSTER_NETWORKS": "10.128.0.0/14,fd01::/48"}


def test_two_variables_are_enough() -> None:
    found = read(ENOUGH)
    assert (found.name, found.cluster_networks, found.vip) == ("a", CLUSTER, None)
    assert (found.health_address, found.health_port, found.check_seconds) == ("127.0.0.1", 9456, 30)


def test_the_address_of_the_api_is_the_vip() -> None:
    found = read({**ENOUGH, "KUBERNETES_SERVICE_HOST": "fd2e::5"})
    assert found.vip == ip_address("fd2e::5")


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(OptionsError) as raised:
        read(
            {
                "INGOT_CLUSTER_NETWORKS": "10.128.0.1/14",
                "INGOT_HEALTH_PORT": "many",
                "INGOT_LOG_LEVEL": "loud",
            }
        )
    for part in ("NODE_NAME is missing", "10.128.0.1/14", "'many'", "'loud'"):
        assert part in str(raised.value)
