"""`networkConfig`: the shape of a host's nmstate document, and its static addresses."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    HOST,
    METAL,
    TO_DISABLED,
    TO_IPV6,
    USER_MANAGED,
    Case,
    Plain,
    accepted,
    refused,
    table,
)

CONFIG = f"{HOST}.networkConfig"
INTERFACE = f"{CONFIG}.interfaces[0]"
IPV4, IPV6 = f"{INTERFACE}.ipv4.address[0]", f"{INTERFACE}.ipv6.address[0]"
NEXT = f"{METAL}.hosts[1].networkConfig"


def with_address(ip: object, *, family: str = "ipv4", length: object = 24) -> dict[str, object]:
    address = {"ip": ip, "prefix-length": length}
    return {"interfaces": [{"name": "eno1", "mtu": 9000, family: {"address": [address]}}]}


CASES = table(
    # rule B8: a mapping, with numbers for MTUs
    accepted("B8", "a mapping", {CONFIG: with_address("192.0.2.10")}),
    accepted("B8", "nothing", {CONFIG: None}),
    refused("B8", CONFIG, "text", {CONFIG: "interfaces"}, says="not a mapping"),
    refused("B8", CONFIG, "a list", {CONFIG: [{"name": "eno1"}]}),
    refused(
        "B8",
        f"{INTERFACE}.mtu",
        "an MTU in quotes",
        {f"{INTERFACE}.name": "a", f"{INTERFACE}.mtu": "9000"},
    ),
    refused(
        "B8", f"{INTERFACE}.mtu", "a flag", {f"{INTERFACE}.name": "a", f"{INTERFACE}.mtu": True}
    ),
    refused(
        "B8",
        f"{INTERFACE}.mtu",
        "a fraction",
        {f"{INTERFACE}.name": "a", f"{INTERFACE}.mtu": Plain("1.5")},
    ),
    # rule X13: nmstate's form
    accepted("X13", "an address", {CONFIG: with_address("192.0.2.10")}),
    accepted(
        "X13", "an IPv6 address", {CONFIG: with_address("2001:db8::10", family="ipv6", length=128)}
    ),
    accepted(
        "X13", "every usual section", {CONFIG: {"interfaces": [], "routes": {}, "dns-resolver": {}}}
    ),
    refused(
        "X13",
        f"{CONFIG}.interface",
        "an unknown section",
        {CONFIG: {"interface": []}},
        says="'interface'",
    ),
    refused(
        "X13",
        f"{CONFIG}.interfaces",
        "interfaces that are no list",
        {CONFIG: {"interfaces": {"a": 1}}},
    ),
    refused(
        "X13", INTERFACE, "an interface that is no mapping", {CONFIG: {"interfaces": ["eno1"]}}
    ),
    refused("X13", f"{INTERFACE}.name", "no name", {CONFIG: {"interfaces": [{"type": "bond"}]}}),
    refused(
        "X13",
        f"{CONFIG}.interfaces[1].name",
        "a name twice",
        {CONFIG: {"interfaces": [{"name": "a"}, {"name": "a"}]}},
        says="'a' is given twice",
    ),
    refused("X13", f"{IPV4}.ip", "no address", {CONFIG: with_address("eno1")}, says="'eno1'"),
    refused("X13", f"{IPV4}.ip", "another family", {CONFIG: with_address("2001:db8::10")}),
    refused(
        "X13", f"{IPV6}.ip", "IPv4 for IPv6", {CONFIG: with_address("192.0.2.10", family="ipv6")}
    ),
    refused(
        "X13",
        f"{IPV4}.prefix-length",
        "a length beyond 32",
        {CONFIG: with_address("192.0.2.10", length=33)},
    ),
    refused(
        "X13",
        f"{IPV4}.prefix-length",
        "a length in quotes",
        {CONFIG: with_address("192.0.2.10", length="24")},
    ),
    refused(
        "X13",
        f"{IPV4}.prefix-length",
        "no length",
        {CONFIG: with_address("192.0.2.10", length=None)},
    ),
    # rule X15: addresses that are free
    accepted(
        "X15",
        "addresses of their own",
        {CONFIG: with_address("192.0.2.10"), NEXT: with_address("192.0.2.11")},
    ),
    accepted(
        "X15", "a host that is its own balancer", USER_MANAGED, {CONFIG: with_address("192.0.2.5")}
    ),
    refused("X15", f"{IPV4}.ip", "a VIP", {CONFIG: with_address("192.0.2.5")}, says="apiVIPs[0]"),
    refused(
        "X15",
        f"{IPV6}.ip",
        "an IPv6 VIP in another spelling",
        TO_IPV6,
        {CONFIG: with_address("2001:DB8:0:1::0006", family="ipv6", length=64)},
        says="ingressVIPs[0]",
    ),
    refused(
        "X15",
        f"{NEXT}.interfaces[0].ipv4.address[0].ip",
        "another host's",
        {CONFIG: with_address("192.0.2.10"), NEXT: with_address("192.0.2.10")},
        says="192.0.2.10 of host 'cp-1' is also an address of host 'cp-0'",
    ),
    refused(
        "X15",
        f"{IPV4}.ip",
        "the bootstrap VM's",
        TO_DISABLED,
        {
            CONFIG: with_address("192.0.2.9"),
            f"{METAL}.bootstrapExternalStaticIP": "192.0.2.9",
            f"{METAL}.bootstrapExternalStaticGateway": "192.0.2.1",
            f"{METAL}.bootstrapExternalStaticDNS": "192.0.2.1",
        },
        says="bootstrapExternalStaticIP",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_static_network_rules(case: Case) -> None:
    case.check()
