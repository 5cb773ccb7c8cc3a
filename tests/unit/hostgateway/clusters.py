"""A cluster of three nodes and the first one's surroundings, to be changed by each test."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from ingot.hostgateway.model import ClusterNode
from ingot.hostgateway.surroundings import Card, Connected, Route, StandingRoute, Surroundings

CLUSTER = (ip_network("10.128.0.0/14"), ip_network("fd01::/48"))
VIP = ip_address("192.168.111.5")


def node(name: str, networks: str = "", addresses: str = "") -> ClusterNode:
    return ClusterNode(
        name,
        tuple(ip_network(one) for one in networks.split()),
        tuple(ip_address(one) for one in addresses.split()),
    )


A = node("a", "10.128.0.0/23 fd01:0:0:1::/64", "192.168.111.20 fd2e::20")
B = node("b", "10.128.2.0/23 fd01:0:0:2::/64", "192.168.111.21 fd2e::21")
C = node("c", "10.128.4.0/23 fd01:0:0:3::/64", "192.168.111.22 fd2e::22")


def card(name: str, *addresses: str, mtu: int = 1500) -> Card:
    return Card(name, mtu, frozenset(map(ip_address, addresses)))


def connected(network: str, link: str, metric: int = 0) -> Connected:
    return Connected(ip_network(network), link, metric)


def route(network: str, gateway: str, link: str = "eth0") -> Route:
    return Route(ip_network(network), ip_address(gateway), link)


def standing(network: str, gateway: str, link: str = "eth0", metric: int = 73) -> StandingRoute:
    return StandingRoute(ip_network(network), ip_address(gateway), link, metric)


CARDS = (card("lo", "127.0.0.1", "::1", mtu=65536), card("eth0", "192.168.111.20", "fd2e::20"))
CONNECTED = (connected("192.168.111.0/24", "eth0"), connected("fd2e::/64", "eth0", 256))
HERE = Surroundings(CARDS, CONNECTED)

TO_B = (route("10.128.2.0/23", "192.168.111.21"), route("fd01:0:0:2::/64", "fd2e::21"))
TO_C = (route("10.128.4.0/23", "192.168.111.22"), route("fd01:0:0:3::/64", "fd2e::22"))
