from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address

import pytest

from ingot.onprem.model import Peer, Role, Situation
from ingot.onprem.problem import DuplicatePeerError, NameTooLongError, VipOutsideError
from tests.unit.onprem.situations import V4, V6, cluster, own, peer, peers, situation


def test_a_vip_outside_every_local_network_is_an_error_that_names_them() -> None:
    outside = replace(cluster(), api_vips=(ip_address("192.0.2.5"),))
    with pytest.raises(VipOutsideError, match=r"192\.0\.2\.5 .* 10\.9\.0\.0/24") as caught:
        situation("master-0", of=outside)
    assert "machine network" in caught.value.remedy


def test_a_vip_of_a_family_that_the_node_has_not_is_outside() -> None:
    with pytest.raises(VipOutsideError):
        Situation(
            cluster=cluster(V4, V6),
            name="master-0",
            role=Role.CONTROL_PLANE,
            own=own("master-0", V4),
            peers=peers(V4, V6),
        )


def test_a_vip_of_the_users_balancer_may_be_anywhere() -> None:
    anywhere = replace(cluster(managed=False), api_vips=(ip_address("192.0.2.5"),))
    assert situation("master-0", of=anywhere).cluster is anywhere


@pytest.mark.parametrize(
    "second",
    [
        peer("worker-0"),
        replace(peer("worker-0"), name="other"),
        replace(peer("worker-0"), addresses=(ip_address("10.9.0.99"),)),
    ],
)
def test_two_peers_with_one_name_or_address_are_an_error(second: Peer) -> None:
    with pytest.raises(DuplicatePeerError, match="worker-0"):
        replace(situation("master-0"), peers=(peer("worker-0"), second))


def test_a_vip_cannot_be_both_the_apis_and_ingresss() -> None:
    with pytest.raises(DuplicatePeerError, match=r"VIP 10\.9\.0\.100"):
        replace(cluster(), ingress_vips=(ip_address("10.9.0.100"),))


@pytest.mark.parametrize(
    ("name", "limit"), [("n" * 64, 63), (".".join(["n" * 50] * 6), 253)], ids=["label", "name"]
)
def test_a_name_that_is_too_long_is_an_error_with_the_limit(name: str, limit: int) -> None:
    with pytest.raises(NameTooLongError, match=f"{limit} are allowed"):
        replace(peer("worker-0"), name=name)


def test_a_name_of_a_network_card_that_the_kernel_would_cut_is_an_error() -> None:
    with pytest.raises(NameTooLongError, match="network card"):
        own("master-0", interface="enp1s0f0np0vf12345")


def test_a_cluster_name_that_is_too_long_is_an_error() -> None:
    with pytest.raises(NameTooLongError, match="cluster name"):
        replace(cluster(), name="c" * 64)


def test_a_node_is_a_member_only_by_its_name_and_address_together() -> None:
    here = situation("master-0")
    assert here.is_member
    assert not replace(here, peers=peers()[1:]).is_member
    moved = replace(peer("master-0"), addresses=(ip_address("10.9.0.99"),))
    assert not replace(here, peers=(moved, *peers()[1:])).is_member
