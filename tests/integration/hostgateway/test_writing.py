"""Routes that the kernel refuses."""

from __future__ import annotations

import os
from ipaddress import ip_address, ip_network

import pytest

from ingot.hostgateway.routing import RouteChanges
from ingot.hostgateway.surroundings import Route, StandingRoute, read_surroundings
from ingot.hostgateway.writing import apply_routes
from ingot.process import CommandFailed
from tests.integration.hostgateway.spaces import inside
from tests.integration.onprem.wires import wired

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


def way(network: str, gateway: str) -> Route:
    return Route(ip_network(network), ip_address(gateway), "eth0")


def test_one_that_is_refused_keeps_none_of_the_others_from_being_made() -> None:
    good = [way("10.128.2.0/23", "10.77.0.12"), way("fd01:0:0:2::/64", "fd77::12")]
    bad = way("10.128.0.0/23", "172.20.0.9")
    with wired({"node": ["10.77.0.11/24", "fd77::11/64"]}) as spaces:

        def change() -> None:
            with pytest.raises(CommandFailed, match="Nexthop has invalid gateway"):
                apply_routes(RouteChanges(put=(bad, *good)))

        inside(spaces["node"], change)
        here = inside(spaces["node"], lambda: read_surroundings((4, 6)))
        assert set(here.standing) == {StandingRoute.of(one) for one in good}
        gone = RouteChanges(remove=here.standing)
        inside(spaces["node"], lambda: apply_routes(gone))
        assert inside(spaces["node"], lambda: read_surroundings((4, 6))).standing == ()
