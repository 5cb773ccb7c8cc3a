"""The networks of machines, pods and services."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    API,
    CLUSTER,
    HOST,
    INGRESS,
    MACHINE,
    SERVICE,
    TO_DUAL_STACK,
    TO_IPV6,
    USER_MANAGED,
    Case,
    accepted,
    changed,
    places_of,
    refused,
    table,
    warned,
)

TYPE = "networking.networkType"

CASES = table(
    # rule N1: the network's type
    accepted("N1", "HostGateway"),
    accepted("N1", "no type", {"networking": {"machineNetwork": [{"cidr": "192.0.2.0/24"}]}}),
    refused(
        "N1", TYPE, "OVNKubernetes", {TYPE: "OVNKubernetes"}, says="'OVNKubernetes' is none of"
    ),
    refused("N1", TYPE, "OpenShiftSDN", {TYPE: "OpenShiftSDN"}),
    refused(
        "N1", TYPE, "another letter case", {TYPE: "hostgateway"}, says="did you mean HostGateway?"
    ),
    # rule N3: given, without host bits
    accepted("N3", "IPv4"),
    accepted("N3", "IPv6", TO_IPV6),
    refused("N3", f"{MACHINE}[0].cidr", "no cidr", {f"{MACHINE}[0]": {}}, says="no cidr"),
    refused("N3", f"{CLUSTER}[0].cidr", "no cluster cidr", {f"{CLUSTER}[0].cidr": None}),
    refused("N3", f"{MACHINE}[0].cidr", "no CIDR", {f"{MACHINE}[0].cidr": "rack"}, says="'rack'"),
    refused("N3", f"{MACHINE}[0].cidr", "no length", {f"{MACHINE}[0].cidr": "192.0.2.0"}),
    refused(
        "N3", f"{MACHINE}[0].cidr", "a mask", {f"{MACHINE}[0].cidr": "192.0.2.0/255.255.255.0"}
    ),
    refused("N3", f"{SERVICE}[0]", "a length beyond 32", {SERVICE: ["172.30.0.0/33"]}),
    refused("N3", f"{SERVICE}[0]", "a length beyond 128", TO_IPV6, {SERVICE: ["fd02::/129"]}),
    refused("N3", f"{CLUSTER}[0].cidr", "a zone", TO_IPV6, {f"{CLUSTER}[0].cidr": "fd01::%1/48"}),
    refused(
        "N3",
        f"{MACHINE}[0].cidr",
        "host bits",
        {f"{MACHINE}[0].cidr": "192.0.2.1/24"},
        says="write 192.0.2.0/24",
    ),
    refused(
        "N3", f"{CLUSTER}[0].cidr", "IPv6 host bits", TO_IPV6, {f"{CLUSTER}[0].cidr": "fd01::1/48"}
    ),
    # rule N4: the size of service networks
    accepted("N4", "the largest IPv4", {SERVICE: ["100.64.0.0/12"]}),
    accepted("N4", "the largest IPv6", TO_IPV6, {SERVICE: ["fd02::/108"]}),
    refused("N4", f"{SERVICE}[0]", "IPv4 /11", {SERVICE: ["100.64.0.0/11"]}, says="12 or more"),
    refused(
        "N4", f"{SERVICE}[0]", "IPv6 /107", TO_IPV6, {SERVICE: ["fd02::/107"]}, says="108 or more"
    ),
    # rule N5: apart from each other
    accepted("N5", "networks that share no address"),
    accepted("N5", "neighbours", {f"{MACHINE}[1].cidr": "192.0.3.0/24"}),
    refused(
        "N5",
        f"{MACHINE}[1].cidr",
        "machine in machine",
        {f"{MACHINE}[1].cidr": "192.0.2.128/25"},
        says="machine network 192.0.2.128/25 overlaps machine network 192.0.2.0/24",
    ),
    refused(
        "N5", f"{MACHINE}[1].cidr", "service in machine", {f"{MACHINE}[1].cidr": "172.30.0.0/20"}
    ),
    refused(
        "N5", f"{CLUSTER}[0].cidr", "cluster in machine", {f"{MACHINE}[1].cidr": "10.128.0.0/16"}
    ),
    refused(
        "N5",
        f"{CLUSTER}[1].cidr",
        "cluster in service",
        {f"{CLUSTER}[1]": {"cidr": "172.30.0.0/20", "hostPrefix": 23}},
    ),
    refused(
        "N5",
        f"{CLUSTER}[1].cidr",
        "cluster in cluster",
        {f"{CLUSTER}[1]": {"cidr": "10.130.0.0/16", "hostPrefix": 23}},
    ),
    refused("N5", f"{CLUSTER}[0].cidr", "IPv6", TO_IPV6, {f"{SERVICE}[0]": "fd01::/112"}),
    # rule N7: container engines' own network
    accepted("N7", "networks elsewhere"),
    warned(
        "N7",
        f"{MACHINE}[1].cidr",
        "a machine network there",
        {f"{MACHINE}[1].cidr": "172.17.4.0/24"},
    ),
    warned("N7", f"{SERVICE}[0]", "a service network there", {SERVICE: ["172.16.0.0/15"]}),
    # rule N8: parts for the nodes
    accepted("N8", "the default", {CLUSTER: [{"cidr": "10.128.0.0/14"}]}),
    accepted("N8", "the default of IPv6", TO_IPV6, {CLUSTER: [{"cidr": "fd01::/48"}]}),
    accepted(
        "N8",
        "equal prefixes",
        {
            CLUSTER: [
                {"cidr": "10.128.0.0/14", "hostPrefix": 24},
                {"cidr": "10.0.0.0/14", "hostPrefix": 24},
            ]
        },
    ),
    refused(
        "N8",
        f"{CLUSTER}[0].hostPrefix",
        "a part larger than the whole",
        {f"{CLUSTER}[0].hostPrefix": 13},
        says="14 or more",
    ),
    refused(
        "N8", f"{CLUSTER}[0].hostPrefix", "a negative prefix", {f"{CLUSTER}[0].hostPrefix": -1}
    ),
    refused(
        "N8",
        f"{CLUSTER}[1].hostPrefix",
        "two IPv4 prefixes that differ",
        {CLUSTER: [{"cidr": "10.128.0.0/14"}, {"cidr": "10.0.0.0/14", "hostPrefix": 24}]},
        says="24 differs from 23",
    ),
    refused(
        "N8",
        f"{CLUSTER}[0].hostPrefix",
        "IPv6 other than 64",
        TO_IPV6,
        {f"{CLUSTER}[0].hostPrefix": 80},
    ),
    # rule X14: room for pods
    accepted("X14", "a prefix of 30", {CLUSTER: [{"cidr": "10.128.0.0/14", "hostPrefix": 30}]}),
    refused("X14", f"{CLUSTER}[0].hostPrefix", "31", {f"{CLUSTER}[0].hostPrefix": 31}, says="31"),
    refused("X14", f"{CLUSTER}[0].hostPrefix", "more than 32", {f"{CLUSTER}[0].hostPrefix": 33}),
    # rule X21: room for nodes
    accepted(
        "X21", "as many parts as hosts", {CLUSTER: [{"cidr": "10.128.0.0/22", "hostPrefix": 24}]}
    ),
    refused(
        "X21",
        CLUSTER,
        "fewer parts than hosts",
        {CLUSTER: [{"cidr": "10.128.0.0/23", "hostPrefix": 24}]},
        says="parts for 2 nodes, and 4 hosts",
    ),
    refused("X21", CLUSTER, "IPv6", TO_IPV6, {CLUSTER: [{"cidr": "fd01::/63"}]}, says="IPv6"),
    # rule N9: both families everywhere
    accepted("N9", "single stack"),
    accepted("N9", "dual stack", TO_DUAL_STACK),
    refused(
        "N9",
        MACHINE,
        "machines of IPv4 only",
        TO_DUAL_STACK,
        USER_MANAGED,
        {MACHINE: [{"cidr": "192.0.2.0/24"}]},
        says="add an IPv6 machine network",
    ),
    refused(
        "N9",
        CLUSTER,
        "pods of IPv6 only",
        {
            path: list(reversed(both))
            for path, both in TO_DUAL_STACK.items()
            if isinstance(both, list)
        },
        {CLUSTER: [{"cidr": "fd01::/48"}]},
        says="lack IPv4",
    ),
    # rule N10: one of each family
    accepted("N10", "one of each family", TO_DUAL_STACK),
    refused("N10", f"{SERVICE}[1]", "two of IPv4", {SERVICE: ["172.30.0.0/16", "172.31.0.0/16"]}),
    refused(
        "N10", f"{SERVICE}[1]", "two of IPv6", TO_IPV6, {SERVICE: ["fd02::/112", "fd03::/112"]}
    ),
    refused(
        "N10",
        f"{SERVICE}[2]",
        "three in dual stack",
        TO_DUAL_STACK,
        {f"{SERVICE}[2]": "172.31.0.0/16"},
        says="second IPv4",
    ),
    # rule X22: families agree
    accepted("X22", "IPv4 only"),
    accepted("X22", "IPv6 only", TO_IPV6),
    accepted("X22", "dual stack", TO_DUAL_STACK),
    refused("X22", CLUSTER, "IPv6 pods of IPv4 services", {CLUSTER: [{"cidr": "fd01::/48"}]}),
    refused(
        "X22",
        MACHINE,
        "IPv6 machines of IPv4 services",
        USER_MANAGED,
        {MACHINE: [{"cidr": "2001:db8:0:1::/64"}]},
        says="add an IPv4 machine network",
    ),
    warned(
        "X22",
        MACHINE,
        "machines of two families",
        {f"{MACHINE}[1].cidr": "2001:db8:0:1::/64"},
        says="services only IPv4",
    ),
    # rule N11, N12, N13: what bare metal has not
    accepted("N11", "no MTU"),
    accepted("N11", "an MTU of 0", {"networking.clusterNetworkMTU": 0}),
    refused(
        "N11", "networking.clusterNetworkMTU", "an MTU", {"networking.clusterNetworkMTU": 9000}
    ),
    accepted("N12", "no ovnKubernetesConfig", {"networking.ovnKubernetesConfig": None}),
    refused(
        "N12",
        "networking.ovnKubernetesConfig",
        "ovnKubernetesConfig",
        {"networking.ovnKubernetesConfig": {"ipv4": {"internalJoinSubnet": "100.64.0.0/16"}}},
    ),
    accepted("N13", "a policy", {"networking.networkObservability.installationPolicy": "NoAction"}),
    refused(
        "N13",
        "networking.networkObservability.installationPolicy",
        "another policy",
        {"networking.networkObservability.installationPolicy": "Maybe"},
        says="'Maybe' is none of InstallAndEnable, NoAction",
    ),
    # rule X24: one's own CNI
    accepted("X24", "HostGateway"),
    warned("X24", TYPE, "None", {TYPE: "None"}, says="manifests/"),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_networking_rules(case: Case) -> None:
    case.check()


FOLLOW_ONS = {
    "a bad machine network is not also a VIP in none": (
        {f"{MACHINE}[0].cidr": "192.0.2.0/99"},
        [("N3", f"{MACHINE}[0].cidr")],
    ),
    "a missing machine cidr is not also a VIP in none": (
        {f"{MACHINE}[0]": {}},
        [("N3", f"{MACHINE}[0].cidr")],
    ),
    "a machineNetwork that is no list is not also a VIP in none": (
        {MACHINE: "192.0.2.0/24"},
        [("F7", MACHINE)],
    ),
    "a bad service network is not also an overlap with the default": (
        {f"{SERVICE}[0]": "no", f"{MACHINE}[1].cidr": "172.30.0.0/24"},
        [("N3", f"{SERVICE}[0]")],
    ),
    "a bad cluster network is not also too small": (
        {f"{CLUSTER}[0].cidr": "10.128.0.0"},
        [("N3", f"{CLUSTER}[0].cidr")],
    ),
    "networking that is no mapping is not also judged by its defaults": (
        {"networking": ["192.0.2.0/24"]},
        [("F7", "networking")],
    ),
    "a bad network of dual stack is not also a missing family": (
        {**TO_DUAL_STACK, f"{MACHINE}[1].cidr": "2001::db8::/64"},
        [("N3", f"{MACHINE}[1].cidr")],
    ),
    "host bits are cut off, and the VIP is in the network that is meant": (
        {f"{MACHINE}[0].cidr": "192.0.2.7/24", API: ["203.0.113.5"]},
        [("N3", f"{MACHINE}[0].cidr"), ("P3", f"{API}[0]")],
    ),
    "equal VIPs are told although the machine network is unreadable": (
        {f"{MACHINE}[0].cidr": "?", INGRESS: ["192.0.2.5"]},
        [("N3", f"{MACHINE}[0].cidr"), ("P3", f"{INGRESS}[0]")],
    ),
    "an OpenShift network type does not hide its options": (
        {TYPE: "OVNKubernetes", "networking.ovnKubernetesConfig": {"ipv4": {}}},
        [("N1", TYPE), ("N12", "networking.ovnKubernetesConfig")],
    ),
    "a broken host does not make the cluster network too small": (
        {HOST: "cp-0", CLUSTER: [{"cidr": "10.128.0.0/23", "hostPrefix": 24}]},
        [("F7", HOST)],
    ),
}


@pytest.mark.parametrize(("changes", "expected"), FOLLOW_ONS.values(), ids=FOLLOW_ONS)
def test_one_mistake_in_the_networks_is_one_error(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert places_of(changed(changes).report().errors) == expected
