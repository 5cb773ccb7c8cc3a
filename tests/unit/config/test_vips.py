"""The virtual IPs of the API and of ingress."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    API,
    HOST,
    INGRESS,
    MACHINE,
    METAL,
    SERVICE,
    TO_DISABLED,
    TO_DUAL_STACK,
    TO_IPV6,
    USER_MANAGED,
    Case,
    accepted,
    refused,
    table,
)

CASES = table(
    # rule P1: one or two of each
    accepted("P1", "one of each"),
    accepted("P1", "one of each, IPv6", TO_IPV6),
    accepted("P1", "two of each", TO_DUAL_STACK),
    refused("P1", API, "no API VIPs", {API: []}, says="apiVIPs is not given"),
    refused("P1", INGRESS, "ingress VIPs that are null", {INGRESS: None}),
    refused("P1", (API, INGRESS), "no VIPs at all", {API: [], INGRESS: []}),
    refused(
        "P1",
        API,
        "three API VIPs",
        TO_DUAL_STACK,
        {f"{API}[2]": "192.0.2.7"},
        says="3 addresses",
    ),
    # rule P2: addresses
    accepted("P2", "IPv4"),
    accepted("P2", "IPv6 in upper case", TO_IPV6, {f"{API}[0]": "2001:DB8:0:1:0:0:0:5"}),
    accepted("P2", "IPv4 in IPv6 clothes", {f"{API}[0]": "::ffff:192.0.2.5"}),
    refused("P2", f"{API}[0]", "a name", {API: ["api.example.com"]}, says="'api.example.com'"),
    refused("P2", f"{INGRESS}[0]", "a prefix", {INGRESS: ["192.0.2.6/24"]}, says="prefix length"),
    refused("P2", f"{API}[0]", "leading zeros", {API: ["192.0.2.005"]}, says="octal"),
    refused("P2", f"{API}[0]", "a zone", TO_IPV6, {API: ["fe80::1%eth0"]}, says="zone"),
    refused(
        "P2",
        f"{API}[1]",
        "the second of two",
        TO_DUAL_STACK,
        {f"{API}[1]": "2001:db8::g"},
        says="'2001:db8::g' is not an IP address",
    ),
    # rule P3: apart, and in a machine network
    accepted("P3", "two addresses of a machine network"),
    accepted("P3", "equal VIPs of a balancer of one's own", USER_MANAGED, {INGRESS: ["192.0.2.5"]}),
    accepted(
        "P3",
        "VIPs elsewhere, of a balancer of one's own",
        USER_MANAGED,
        {API: ["203.0.113.5"], INGRESS: ["203.0.113.6"]},
    ),
    accepted(
        "P3",
        "a VIP in the second machine network",
        {f"{MACHINE}[1].cidr": "203.0.113.0/24", INGRESS: ["203.0.113.6"]},
    ),
    refused(
        "P3",
        f"{INGRESS}[0]",
        "an ingress VIP that is the API's",
        {INGRESS: ["192.0.2.5"]},
        says="ingressVIPs[0] 192.0.2.5 is also apiVIPs[0]",
    ),
    refused(
        "P3",
        f"{INGRESS}[1]",
        "an ingress VIP that is the API's in another spelling",
        TO_DUAL_STACK,
        {f"{INGRESS}[1]": "2001:0DB8:0:1::0005"},
    ),
    refused(
        "P3",
        f"{API}[0]",
        "a VIP in no machine network",
        {API: ["203.0.113.5"]},
        says="(192.0.2.0/24)",
    ),
    refused("P3", f"{API}[0]", "IPv6 elsewhere", TO_IPV6, {API: ["2001:db8:0:9::5"]}),
    # rule P4: of two families
    accepted("P4", "one of each family", TO_DUAL_STACK),
    refused(
        "P4",
        f"{API}[1]",
        "two of one family",
        TO_DUAL_STACK,
        {f"{API}[1]": "192.0.2.7"},
        says="two IPv4",
    ),
    refused("P4", f"{INGRESS}[1]", "two in single stack", {f"{INGRESS}[1]": "192.0.2.7"}),
    # rule P5: the same family first
    accepted("P5", "IPv4 first everywhere", TO_DUAL_STACK),
    accepted(
        "P5",
        "IPv6 first everywhere",
        {
            path: list(reversed(both))
            for path, both in TO_DUAL_STACK.items()
            if isinstance(both, list)
        },
    ),
    refused(
        "P5",
        (f"{API}[0]",) * 3,
        "IPv6 first in the API's only",
        TO_DUAL_STACK,
        {API: ["2001:db8:0:1::5", "192.0.2.5"]},
        says="put the same family first",
    ),
    refused(
        "P5",
        (f"{API}[0]", f"{INGRESS}[0]"),
        "IPv6 first in the machine networks only",
        TO_DUAL_STACK,
        {MACHINE: [{"cidr": "2001:db8:0:1::/64"}, {"cidr": "192.0.2.0/24"}]},
        says="first machine network is IPv6",
    ),
    # rule X23: of the only family
    accepted("X23", "IPv4 only"),
    accepted("X23", "IPv6 only", TO_IPV6),
    accepted("X23", "both families in dual stack", TO_DUAL_STACK),
    refused(
        "X23",
        f"{API}[0]",
        "an IPv6 VIP of IPv4 services",
        USER_MANAGED,
        {API: ["2001:db8::5"]},
        says="services are IPv4 only",
    ),
    refused(
        "X23",
        f"{INGRESS}[1]",
        "a second family that services lack",
        USER_MANAGED,
        {f"{INGRESS}[1]": "2001:db8::6"},
    ),
    # rule X8: usable
    accepted("X8", "the first host address", {API: ["192.0.2.1"]}),
    accepted(
        "X8", "an address of a /31", {MACHINE: [{"cidr": "192.0.2.4/31"}], INGRESS: ["192.0.2.4"]}
    ),
    accepted("X8", "the last IPv6 address", TO_IPV6, {API: ["2001:db8:0:1:ffff:ffff:ffff:ffff"]}),
    refused(
        "X8", f"{API}[0]", "the network's address", {API: ["192.0.2.0"]}, says="192.0.2.0/24 itself"
    ),
    refused("X8", f"{API}[0]", "the broadcast address", {API: ["192.0.2.255"]}, says="broadcast"),
    refused("X8", f"{API}[0]", "the IPv6 network's address", TO_IPV6, {API: ["2001:db8:0:1::"]}),
    # rule X7: not leased
    accepted("X7", "a VIP outside the DHCP range"),
    refused(
        "X7",
        f"{API}[0]",
        "a VIP in the default DHCP range",
        USER_MANAGED,
        {API: ["172.22.0.50"]},
        says="172.22.0.10,172.22.0.254",
    ),
    # rule X9: free
    accepted("X9", "VIPs that nothing else has"),
    accepted(
        "X9",
        "a balancer of one's own that is router and name server",
        USER_MANAGED,
        {
            f"{METAL}.bootstrapExternalStaticIP": "192.0.2.9",
            f"{METAL}.bootstrapExternalStaticGateway": "192.0.2.5",
            f"{METAL}.bootstrapExternalStaticDNS": "192.0.2.5",
        },
    ),
    *(
        refused(
            "X9",
            f"{API}[0]",
            f"a VIP that is {name}",
            {
                f"{METAL}.bootstrapExternalStaticIP": "192.0.2.9",
                f"{METAL}.bootstrapExternalStaticGateway": "192.0.2.1",
                f"{METAL}.bootstrapExternalStaticDNS": "192.0.2.1",
                f"{METAL}.{name}": "192.0.2.5",
            },
            says=name,
        )
        for name in (
            "bootstrapExternalStaticIP",
            "bootstrapExternalStaticGateway",
            "bootstrapExternalStaticDNS",
        )
    ),
    refused(
        "X9",
        f"{API}[0]",
        "a VIP that is bootstrapProvisioningIP",
        TO_DISABLED,
        {f"{METAL}.bootstrapProvisioningIP": "192.0.2.5"},
        says="bootstrapProvisioningIP",
    ),
    refused(
        "X9",
        f"{INGRESS}[0]",
        "a VIP that is clusterProvisioningIP",
        TO_DISABLED,
        {f"{METAL}.clusterProvisioningIP": "192.0.2.6"},
        says="clusterProvisioningIP",
    ),
    refused(
        "X9",
        f"{API}[0]",
        "a VIP that is the provisioning gateway",
        USER_MANAGED,
        {API: ["172.22.0.1"], f"{METAL}.provisioningNetworkGateway": "172.22.0.1"},
        says="provisioningNetworkGateway",
    ),
    refused(
        "X9",
        f"{API}[0]",
        "a VIP that is a BMC's address",
        {f"{HOST}.bmc.address": "ipmi://192.0.2.5"},
        says="the BMC of host 'cp-0'",
    ),
    refused(
        "X9",
        f"{API}[0]",
        "an IPv6 VIP that is a BMC's address",
        TO_IPV6,
        {f"{HOST}.bmc.address": "ipmi://[2001:db8:0:1::5]"},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_vip_rules(case: Case) -> None:
    case.check()


def test_an_unreadable_vip_leaves_the_index_of_the_next_one_right() -> None:
    case = refused(
        "P2", f"{API}[0]", "", TO_DUAL_STACK, {API: ["bad", "203.0.113.1"], SERVICE: ["fd02::/112"]}
    )
    places = {(one.rule, one.field) for one in case.config.report().errors}

    assert ("P2", f"{API}[0]") in places
    assert ("P3", f"{API}[1]") in places
    assert not any(where == API for _, where in places)
