"""Old forms of the install-config: converted, warned of, and reported where they stand."""

from __future__ import annotations

import ipaddress

import pytest

from ingot.config.model import InstallConfig, NetworkType, ProvisioningNetwork
from ingot.config.problem import Severity
from tests.unit.config.configs import (
    ABSENT,
    API,
    CLUSTER,
    HOST,
    INGRESS,
    MACHINE,
    METAL,
    SERVICE,
    TO_DUAL_STACK,
    TO_IPV6,
    Case,
    Config,
    accepted,
    changed,
    places_of,
    refused,
    table,
    warned,
)

NET = "networking"
HOST_IP, CLUSTER_IP = f"{METAL}.provisioningHostIP", f"{METAL}.clusterProvisioningIP"
API_VIP, INGRESS_VIP = f"{METAL}.apiVIP", f"{METAL}.ingressVIP"

CASES = table(
    accepted("C1", "v1"),
    accepted("C1", "v1beta3", {"apiVersion": "v1beta3"}),
    accepted("C1", "v1beta4", {"apiVersion": "v1beta4"}),
    refused("C1", "apiVersion", "no version", {"apiVersion": ABSENT}, says="add `apiVersion: v1`"),
    refused("C1", "apiVersion", "an empty version", {"apiVersion": ""}, says="not given"),
    refused("C1", "apiVersion", "v2", {"apiVersion": "v2"}, says="'v2' is not known"),
    refused("C1", "apiVersion", "v1beta2", {"apiVersion": "v1beta2"}, says="v1beta3 and v1beta4"),
    accepted("C2", "the old address alone", {HOST_IP: "172.22.0.4"}),
    accepted("C2", "both, equal", {HOST_IP: "172.22.0.4", CLUSTER_IP: "172.22.0.4"}),
    accepted(
        "C2",
        "both, in two spellings",
        TO_IPV6,
        {HOST_IP: "FD00:1101::4", CLUSTER_IP: "fd00:1101:0::4"},
    ),
    accepted("C3", "the old VIP alone", {API: ABSENT, API_VIP: "192.0.2.5"}),
    accepted("C3", "the old VIP among the new", {API_VIP: "192.0.2.5", INGRESS_VIP: "192.0.2.6"}),
    accepted("C3", "the old VIP among two", TO_DUAL_STACK, {API_VIP: "2001:DB8:0:1::5"}),
    warned(
        "D1", HOST_IP, "provisioningHostIP", {HOST_IP: "172.22.0.4"}, says="clusterProvisioningIP"
    ),
    warned(
        "D1",
        f"{METAL}.provisioningDHCPExternal",
        "provisioningDHCPExternal",
        {f"{METAL}.provisioningDHCPExternal": True},
        says="provisioningNetwork: Unmanaged",
    ),
    warned("D1", API_VIP, "apiVIP", {API: ABSENT, API_VIP: "192.0.2.5"}, says="apiVIPs"),
    warned(
        "D1",
        INGRESS_VIP,
        "ingressVIP",
        {INGRESS: ABSENT, INGRESS_VIP: "192.0.2.6"},
        says="ingressVIPs",
    ),
    warned(
        "D1",
        f"{NET}.type",
        "networking.type",
        {f"{NET}.networkType": ABSENT, f"{NET}.type": "HostGateway"},
    ),
    warned(
        "D1",
        f"{NET}.machineCIDR",
        "machineCIDR",
        {MACHINE: ABSENT, f"{NET}.machineCIDR": "192.0.2.0/24"},
    ),
    warned(
        "D1",
        f"{NET}.serviceCIDR",
        "serviceCIDR",
        {SERVICE: ABSENT, f"{NET}.serviceCIDR": "172.30.0.0/16"},
    ),
    warned(
        "D1",
        f"{NET}.clusterNetworks",
        "clusterNetworks",
        {CLUSTER: ABSENT, f"{NET}.clusterNetworks": [{"cidr": "10.128.0.0/14"}]},
    ),
    warned(
        "D1",
        f"{CLUSTER}[0].hostSubnetLength",
        "hostSubnetLength",
        {CLUSTER: [{"cidr": "10.128.0.0/14", "hostSubnetLength": 9}]},
        says="hostPrefix",
    ),
    warned(
        "D1",
        "imageContentSources",
        "imageContentSources",
        {"imageContentSources": [{"source": "quay.io"}]},
    ),
    warned(
        "D1",
        f"{HOST}.hardwareProfile",
        "hardwareProfile",
        {f"{HOST}.hardwareProfile": "default"},
        says="no effect",
    ),
    accepted("D1", "the present forms"),
    accepted("D1", "a flag that is off", {f"{METAL}.provisioningDHCPExternal": False}),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_conversion_rules(case: Case) -> None:
    case.check()


CONFLICTS = table(
    refused(
        "C2",
        HOST_IP,
        "two addresses",
        {HOST_IP: "172.22.0.4", CLUSTER_IP: "172.22.0.5"},
        says="172.22.0.4 differs from clusterProvisioningIP 172.22.0.5",
    ),
    refused(
        "C3",
        API_VIP,
        "another API VIP",
        {API_VIP: "192.0.2.7"},
        says="apiVIP 192.0.2.7 is not among apiVIPs",
    ),
    refused(
        "C3",
        INGRESS_VIP,
        "another ingress VIP",
        {INGRESS_VIP: "192.0.2.7"},
        says="not among ingressVIPs",
    ),
    refused("C3", API_VIP, "what is no address", {API_VIP: "api"}, says="apiVIP api is not among"),
)


@pytest.mark.parametrize("case", CONFLICTS, ids=str)
def test_old_and_new_forms_that_contradict_each_other_are_refused(case: Case) -> None:
    case.check()


def converted(*changes: dict[str, object]) -> InstallConfig:
    loaded = changed(*changes).load()
    assert loaded.config is not None
    assert loaded.report.valid
    return loaded.config


def test_every_version_becomes_v1() -> None:
    assert converted({"apiVersion": "v1beta3"}).api_version == "v1"


def test_machine_cidr_becomes_a_machine_network() -> None:
    config = converted({MACHINE: ABSENT, f"{NET}.machineCIDR": "192.0.2.0/25"})

    assert config.networking.machine_cidrs == [ipaddress.ip_network("192.0.2.0/25")]
    assert config.networking.machine_cidr is None


def test_service_cidr_becomes_a_service_network() -> None:
    config = converted({SERVICE: ABSENT, f"{NET}.serviceCIDR": "172.31.0.0/16"})

    assert config.networking.service_network == (ipaddress.ip_network("172.31.0.0/16"),)


def test_type_becomes_the_network_type() -> None:
    config = converted({f"{NET}.networkType": ABSENT, f"{NET}.type": "None"})

    assert config.networking.network_type is NetworkType.NONE


@pytest.mark.parametrize(
    ("cidr", "length", "prefix"),
    [("10.128.0.0/14", 9, 23), ("fd01::/48", 64, 64)],
    ids=["v4", "v6"],
)
def test_host_subnet_length_is_counted_from_the_other_end(
    cidr: str, length: int, prefix: int
) -> None:
    base = TO_IPV6 if ":" in cidr else {}
    old = [{"cidr": cidr, "hostSubnetLength": length}]
    config = converted(dict(base), {CLUSTER: ABSENT, f"{NET}.clusterNetworks": old})

    assert config.networking.cluster_network[0].host_prefix == prefix


def test_external_dhcp_becomes_unmanaged() -> None:
    config = converted(
        {f"{METAL}.provisioningNetwork": ABSENT, f"{METAL}.provisioningDHCPExternal": True}
    )

    assert config.baremetal.provisioning_network is ProvisioningNetwork.UNMANAGED


def test_external_dhcp_does_not_overrule_the_present_form() -> None:
    config = converted({f"{METAL}.provisioningDHCPExternal": True})

    assert config.baremetal.provisioning_network is ProvisioningNetwork.MANAGED


def test_old_vips_and_provisioning_address_move() -> None:
    config = converted(
        {API: ABSENT, INGRESS: ABSENT, API_VIP: "192.0.2.5", INGRESS_VIP: "192.0.2.6"},
        {HOST_IP: "172.22.0.9"},
    )

    assert [str(vip) for vip in config.baremetal.api_vips] == ["192.0.2.5"]
    assert [str(vip) for vip in config.baremetal.ingress_vips] == ["192.0.2.6"]
    assert str(config.baremetal.cluster_provisioning_ip) == "172.22.0.9"


def test_the_present_form_wins_over_the_old_one() -> None:
    config = converted({f"{NET}.machineCIDR": "10.0.0.0/16", f"{NET}.type": "None"})

    assert config.networking.machine_cidrs == [ipaddress.ip_network("192.0.2.0/24")]
    assert config.networking.network_type is NetworkType.HOST_GATEWAY


MISTAKES: dict[str, tuple[dict[str, object], list[tuple[str, str]]]] = {
    "machineCIDR": (
        {MACHINE: ABSENT, f"{NET}.machineCIDR": "192.0.2.0"},
        [("N3", f"{NET}.machineCIDR")],
    ),
    "machineCIDR of the wrong kind": (
        {MACHINE: ABSENT, f"{NET}.machineCIDR": ["192.0.2.0/24"]},
        [("F7", f"{NET}.machineCIDR")],
    ),
    "serviceCIDR": ({SERVICE: ABSENT, f"{NET}.serviceCIDR": "?"}, [("N3", f"{NET}.serviceCIDR")]),
    "serviceCIDR by a check": (
        {SERVICE: ABSENT, f"{NET}.serviceCIDR": "100.64.0.0/10"},
        [("N4", f"{NET}.serviceCIDR")],
    ),
    "clusterNetworks": (
        {CLUSTER: ABSENT, f"{NET}.clusterNetworks": [{"cidr": "?"}, {"cidr": "10.0.0.1/16"}]},
        [("N3", f"{NET}.clusterNetworks[0].cidr"), ("N3", f"{NET}.clusterNetworks[1].cidr")],
    ),
    "clusterNetworks with an entry of the wrong kind": (
        {CLUSTER: ABSENT, f"{NET}.clusterNetworks": [{"cidr": "10.128.0.0/14"}, "10.0.0.0/14"]},
        [("F7", f"{NET}.clusterNetworks[1]")],
    ),
    "hostSubnetLength": (
        {CLUSTER: [{"cidr": "10.128.0.0/14", "hostSubnetLength": 20}]},
        [("N8", f"{CLUSTER}[0].hostSubnetLength")],
    ),
    "hostSubnetLength in clusterNetworks": (
        {
            CLUSTER: ABSENT,
            f"{NET}.clusterNetworks": [{"cidr": "10.128.0.0/14", "hostSubnetLength": 20}],
        },
        [("N8", f"{NET}.clusterNetworks[0].hostSubnetLength")],
    ),
    "type": (
        {f"{NET}.networkType": ABSENT, f"{NET}.type": "OpenShiftSDN"},
        [("N1", f"{NET}.type")],
    ),
    "apiVIP": ({API: ABSENT, API_VIP: "api"}, [("P2", API_VIP)]),
    "apiVIP by a check": ({API: ABSENT, API_VIP: "203.0.113.5"}, [("P3", API_VIP)]),
    "apiVIP of the wrong kind": ({API: ABSENT, API_VIP: {"ip": "192.0.2.5"}}, [("F7", API_VIP)]),
    "apiVIP of the wrong kind beside a bad apiVIPs": (
        {API: ["203.0.113.5"], API_VIP: ["192.0.2.5"]},
        [("P3", f"{API}[0]"), ("F7", API_VIP)],
    ),
    "ingressVIP": ({INGRESS: ABSENT, INGRESS_VIP: "192.0.2.5"}, [("P3", INGRESS_VIP)]),
    "provisioningHostIP": ({HOST_IP: "172.22.0"}, [("B2", HOST_IP)]),
    "provisioningHostIP by a check": ({HOST_IP: "172.22.0.50"}, [("R13", HOST_IP)]),
    "provisioningDHCPExternal": (
        {
            f"{METAL}.provisioningNetwork": ABSENT,
            f"{METAL}.provisioningDHCPExternal": "yes",
            f"{METAL}.bootstrapProvisioningIP": "192.0.2.99",
        },
        [("F7", f"{METAL}.provisioningDHCPExternal")],
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_an_old_form_is_told_where_it_stands(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    config = changed(changes)
    errors = config.report().errors

    assert places_of(errors) == expected
    assert all(_is_on_its_line(config, problem.field, problem.line) for problem in errors)


def _is_on_its_line(config: Config, field: str, line: int) -> bool:
    return field in config.lines and config.lines[field] == line


def test_warnings_in_the_old_list_name_the_old_list() -> None:
    old = [{"cidr": "10.128.0.0/14", "hostSubnetLength": 9}]
    config = changed({CLUSTER: ABSENT, f"{NET}.clusterNetworks": old})
    problems = config.report().of(Severity.WARNING)

    assert places_of(problems) == [
        ("D1", f"{NET}.clusterNetworks"),
        ("D1", f"{NET}.clusterNetworks[0].hostSubnetLength"),
    ]
    assert all(_is_on_its_line(config, problem.field, problem.line) for problem in problems)
