"""Nodes as peers."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import pytest

from ingot.onprem.model import Peer, Role
from ingot.onprem.monitor.nodewatch import peer_of

V4, V6 = ip_address("10.9.0.11"), ip_address("fd09::11")


def node(*addresses: str, **labels: str) -> dict[str, Any]:
    shown = [{"type": "InternalIP", "address": one} for one in addresses]
    return {
        "metadata": {"name": "n", "labels": labels},
        "status": {"addresses": [*shown, {"type": "Hostname", "address": "n"}]},
    }


@pytest.mark.parametrize(
    ("labels", "role"),
    [
        ({}, Role.WORKER),
        ({"node-role.kubernetes.io/worker": ""}, Role.WORKER),
        ({"node-role.kubernetes.io/control-plane": ""}, Role.CONTROL_PLANE),
        ({"node-role.kubernetes.io/master": ""}, Role.CONTROL_PLANE),
    ],
)
def test_a_node_has_the_role_of_its_labels(labels: dict[str, str], role: Role) -> None:
    assert peer_of(node("10.9.0.11", **labels)) == Peer("n", role, (V4,))


def test_a_node_has_one_address_of_each_family_and_no_vip() -> None:
    found = node("10.9.0.100", "10.9.0.11", "10.9.0.12", "fd09::11")
    assert peer_of(found, vips=[ip_address("10.9.0.100")]).addresses == (V4, V6)


def test_a_node_that_has_no_address_yet_is_a_node() -> None:
    assert peer_of({"metadata": {"name": "n"}}) == Peer("n", Role.WORKER, ())
