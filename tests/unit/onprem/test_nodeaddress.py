from __future__ import annotations

import json
import socket
from ipaddress import ip_address, ip_interface
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.onprem.interfaces import DefaultRoute, LocalAddress, seen_addresses, seen_routes
from ingot.onprem.model import Family
from ingot.onprem.nodeaddress import choose
from ingot.onprem.ports import check_free
from ingot.onprem.problem import BadAnswerError, NoDefaultRouteError, PortTakenError
from ingot.onprem.vipaddress import held_vips

VIPS = (ip_address("10.9.0.100"), ip_address("10.9.0.101"))
DUAL = (*VIPS, ip_address("fd09::100"), ip_address("fd09::101"))


def at(interface: str, address: str, index: int = 2, **facts: object) -> LocalAddress:
    made = LocalAddress(interface=interface, index=index, within=ip_interface(address))
    for name, value in facts.items():
        object.__setattr__(made, name, value)
    return made


OUT = at("eth0", "192.0.2.7/24")
NEAR = at("eth1", "10.9.0.11/24", 3)
WAY = DefaultRoute(interface="eth0", family=Family.IPV4, gateway=ip_address("192.0.2.1"))


def chosen(*addresses: LocalAddress, before: str = "") -> str:
    known = [ip_address(before)] if before else []
    return str(choose(addresses, [WAY], vips=VIPS, before=known).own[0].address)


def test_an_address_on_the_network_of_a_vip_is_better_than_the_default_route() -> None:
    choice = choose([OUT, NEAR], [WAY], vips=VIPS)
    assert [(one.interface, str(one.address)) for one in choice.own] == [("eth1", "10.9.0.11")]
    assert choice.on_vip_network
    assert "network of a VIP" in choice.reason


@pytest.mark.parametrize(
    "unfit",
    [
        at("eth1", "10.9.0.100/24"),
        at("eth1", "10.9.0.5/32", label="vip"),
        at("eth1", "10.9.0.5/24", label="vip"),
        at("eth1", "10.9.0.5/24", deprecated=True),
        at("eth1", "10.9.0.5/24", tentative=True),
        at("eth1", "10.9.0.5/24", scope="link"),
        at("cni0", "10.9.0.5/24"),
    ],
    ids=str,
)
def test_vips_and_what_is_unfit_are_never_chosen(unfit: LocalAddress) -> None:
    assert chosen(unfit, NEAR) == "10.9.0.11"


def test_what_was_chosen_stays_while_it_is_there() -> None:
    newer = at("eth1", "10.9.0.5/24", 3)
    assert chosen(newer, NEAR) == "10.9.0.5"
    assert chosen(newer, NEAR, before="10.9.0.11") == "10.9.0.11"
    assert chosen(OUT, NEAR, before="192.0.2.7") == "192.0.2.7"
    assert chosen(newer, before="10.9.0.11") == "10.9.0.5"


def test_without_such_a_network_the_best_way_out_decides() -> None:
    choice = choose([OUT, at("eth5", "198.51.100.7/24")], [WAY], vips=VIPS)
    assert str(choice.own[0].address) == "192.0.2.7"
    assert not choice.on_vip_network


def test_the_lower_metric_wins() -> None:
    better = DefaultRoute(interface="eth5", family=Family.IPV4, metric=50)
    worse = DefaultRoute(interface="eth0", family=Family.IPV4, metric=100)
    choice = choose([OUT, at("eth5", "198.51.100.7/24")], [worse, better], vips=VIPS)
    assert choice.own[0].interface == "eth5"


def test_no_default_route_and_no_network_of_a_vip_is_an_error() -> None:
    with pytest.raises(NoDefaultRouteError, match=r"addresses: 192\.0\.2\.7/24") as caught:
        choose([OUT], [], vips=VIPS)
    assert "DHCP" in caught.value.remedy


def test_dual_stack_has_one_of_each_that_of_the_first_vip_first() -> None:
    six = at("eth1", "fd09::11/64", 3)
    choice = choose([six, NEAR], [], vips=DUAL)
    assert [str(one.address) for one in choice.own] == ["10.9.0.11", "fd09::11"]
    choice = choose([six, NEAR], [], vips=DUAL[::-1])
    assert [str(one.address) for one in choice.own] == ["fd09::11", "10.9.0.11"]


ANY = st.builds(
    at,
    st.sampled_from(["eth0", "eth1"]),
    st.integers(1, 254).map("10.9.0.{}/24".format),
    label=st.sampled_from(["", "vip"]),
)


@given(st.lists(ANY, max_size=8), st.randoms())
def test_no_vip_is_ever_chosen_and_the_order_of_listing_does_not_matter(
    addresses: list[LocalAddress], random: Random
) -> None:
    try:
        choice = choose(addresses, [WAY], vips=VIPS)
    except NoDefaultRouteError:
        return
    assert choice.own[0].address not in VIPS
    shuffled = sorted(addresses, key=lambda _one: random.random())
    again = choose(shuffled, [WAY], vips=VIPS)
    assert again.own[0].address == choice.own[0].address
    kept = choose(shuffled, [], vips=VIPS, before=[choice.own[0].address])
    assert kept.own[0].address == choice.own[0].address


def test_vips_of_a_node_are_found_by_address_and_by_label() -> None:
    former = at("eth0", "10.9.0.99/32", label="vip")
    mine = [NEAR, at("eth0", "10.9.0.100/32"), former, at("eth0", "fd09::100/128")]
    assert held_vips(mine, DUAL) == mine[1:]


def test_what_ip_says_is_read() -> None:
    address = {"local": "fd09::1", "prefixlen": 64, "scope": "global", "deprecated": True}
    links = [{"ifname": "eth0", "ifindex": 2, "addr_info": [address, {}]}, {}]
    (read,) = seen_addresses(json.dumps(links))
    assert (str(read.within), read.deprecated) == ("fd09::1/64", True)
    routes = [{"dst": "default", "gateway": "10.9.0.1", "dev": "eth0", "metric": 100}]
    (route,) = seen_routes(json.dumps(routes), Family.IPV4)
    assert (str(route.gateway), route.metric) == ("10.9.0.1", 100)
    assert seen_routes("", Family.IPV6) == ()


@pytest.mark.parametrize("text", ["junk", "[3]", '{"a": 1}'])
def test_what_ip_does_not_say_is_an_error(text: str) -> None:
    with pytest.raises(BadAnswerError):
        seen_addresses(text)


def test_a_port_that_is_taken_is_an_error_that_names_what_needs_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as theirs:
        port = theirs.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} is taken, but DNS") as caught:
            check_free({port: "DNS"}, address="127.0.0.1")
        assert "ss -lntup" in caught.value.remedy
    check_free({port: "DNS"}, address="127.0.0.1")
