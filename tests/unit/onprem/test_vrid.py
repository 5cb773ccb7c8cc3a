from __future__ import annotations

from ipaddress import ip_address

import pytest

from ingot.onprem.heard import read_advert
from ingot.onprem.model import Address, VipKind
from ingot.onprem.vrid import Clash, HeardAdvert, RouterIds, clashes, router_ids

OURS = ip_address("10.9.0.100")
THEIRS = ip_address("10.9.0.200")
SOURCE, GROUP = ip_address("10.9.0.7"), ip_address("224.0.0.18")


def heard(router_id: int, vip: Address, source: Address = SOURCE) -> HeardAdvert:
    return HeardAdvert(router_id, source, GROUP, 3, 100, (vip,))


@pytest.mark.parametrize(
    ("name", "api", "ingress"),
    [
        ("cnf10", 147, 2),
        ("cnf11", 228, 147),
        ("ostest", 14, 93),
        ("piyushv6", 214, 21),
        ("oc2-yw674", 1, 223),
        ("test", 13, 28),
    ],
)
def test_router_ids_are_those_of_the_field(name: str, api: int, ingress: int) -> None:
    assert router_ids(name) == RouterIds(api, ingress)


def test_an_id_that_a_stranger_uses_is_a_clash_that_names_the_stranger() -> None:
    found = clashes(router_ids("ostest"), [heard(93, THEIRS), heard(7, THEIRS)], vips=[OURS])
    assert found == (Clash(VipKind.INGRESS, 93, (SOURCE,)),)
    assert "93, ours for ingress, is also used by 10.9.0.7" in str(found[0])


def test_our_own_nodes_are_no_strangers_whatever_their_address() -> None:
    assert clashes(router_ids("ostest"), [heard(14, OURS)], vips=[OURS]) == ()


def test_an_advert_of_version_3_is_read() -> None:
    packet = bytes([0x31, 14, 60, 1, 0, 10, 0, 0]) + OURS.packed
    assert read_advert(packet, SOURCE, GROUP) == HeardAdvert(14, SOURCE, GROUP, 3, 60, (OURS,))


def test_an_advert_of_version_2_is_read_without_its_password() -> None:
    packet = bytes([0x21, 14, 60, 1, 1, 1, 0, 0]) + OURS.packed + b"password"
    assert read_advert(packet, SOURCE, GROUP) == HeardAdvert(14, SOURCE, GROUP, 2, 60, (OURS,))


def test_an_advert_of_ipv6_is_read() -> None:
    vip, source = ip_address("fd09::100"), ip_address("fe80::1")
    packet = bytes([0x31, 14, 0, 1, 0, 10, 0, 0]) + vip.packed
    advert = read_advert(packet, source, source)
    assert advert is not None
    assert (advert.vips, advert.priority) == ((vip,), 0)


@pytest.mark.parametrize(
    "packet",
    [b"", b"\x31\x0e", bytes([0x32, 14, 60, 0, 0, 0, 0, 0]), bytes([0x31, 14, 60, 9, 0, 0, 0, 0])],
)
def test_what_is_no_whole_advert_is_passed_over(packet: bytes) -> None:
    assert read_advert(packet, SOURCE, GROUP) is None
