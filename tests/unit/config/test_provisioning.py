"""The provisioning network, the bootstrap VM and the image."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    CLUSTER,
    MACHINE,
    METAL,
    SERVICE,
    TO_DISABLED,
    TO_DUAL_STACK,
    TO_IPV6,
    USER_MANAGED,
    Case,
    accepted,
    changed,
    places_of,
    refused,
    table,
)

MODE = f"{METAL}.provisioningNetwork"
CIDR = f"{METAL}.provisioningNetworkCIDR"
RANGE = f"{METAL}.provisioningDHCPRange"
GATEWAY = f"{METAL}.provisioningNetworkGateway"
BOOTSTRAP, IN_CLUSTER = f"{METAL}.bootstrapProvisioningIP", f"{METAL}.clusterProvisioningIP"
EXTERNAL_MAC, PROVISIONING_MAC = f"{METAL}.externalMACAddress", f"{METAL}.provisioningMACAddress"
URI, IMAGE = f"{METAL}.libvirtURI", f"{METAL}.clusterOSImage"
STATIC_IP, STATIC_GATEWAY, STATIC_DNS = (
    f"{METAL}.bootstrapExternalStatic{name}" for name in ("IP", "Gateway", "DNS")
)
BALANCER, RECORDS = f"{METAL}.loadBalancer.type", f"{METAL}.dnsRecordsType"
STATIC = {STATIC_IP: "192.0.2.9", STATIC_GATEWAY: "192.0.2.1", STATIC_DNS: "198.51.100.1"}
UNMANAGED = {MODE: "Unmanaged"}
SUM = "ab" * 32

BRIDGE, EXTERNAL_BRIDGE = f"{METAL}.provisioningBridge", f"{METAL}.externalBridge"

CASES = table(
    # rule X26: bridges
    accepted("X26", "two bridges", {BRIDGE: "br1", EXTERNAL_BRIDGE: "br0"}),
    accepted(
        "X26", "one bridge without a provisioning network", TO_DISABLED, {BRIDGE: "baremetal"}
    ),
    refused("X26", BRIDGE, "one bridge for both", {BRIDGE: "baremetal"}, says="'baremetal'"),
    # rule B1: modes
    accepted("B1", "Managed"),
    accepted("B1", "Unmanaged", UNMANAGED),
    accepted("B1", "Disabled", TO_DISABLED),
    refused("B1", MODE, "another word", {MODE: "None"}, says="'None' is none of Disabled, Managed"),
    refused("B1", MODE, "another letter case", {MODE: "managed"}, says="did you mean Managed?"),
    # rule B2: addresses
    accepted(
        "B2",
        "addresses",
        {BOOTSTRAP: "172.22.0.4", IN_CLUSTER: "172.22.0.5", GATEWAY: "172.22.0.1"},
    ),
    *(
        refused("B2", path, path.rpartition(".")[2], {path: "172.22.0.300"}, says="'172.22.0.300'")
        for path in (BOOTSTRAP, IN_CLUSTER, GATEWAY)
    ),
    # rule B10, B11: load balancer and names
    accepted("B10", "the cluster's own", {BALANCER: "OpenShiftManagedDefault"}),
    accepted("B10", "one's own", {BALANCER: "UserManaged"}),
    refused("B10", BALANCER, "another word", {BALANCER: "F5"}, says="'F5'"),
    accepted("B11", "records inside", {RECORDS: "Internal"}),
    accepted(
        "B11", "records outside, with one's own balancer", USER_MANAGED, {RECORDS: "External"}
    ),
    refused("B11", RECORDS, "records outside, with the cluster's balancer", {RECORDS: "External"}),
    refused("B11", RECORDS, "another word", {RECORDS: "Nowhere"}, says="External, Internal"),
    # rule X4, R16, X5: the bootstrap VM's static network
    accepted("X4", "addresses", STATIC),
    *(
        refused("X4", path, path.rpartition(".")[2], STATIC, {path: "x"}, says="'x'")
        for path in (STATIC_IP, STATIC_GATEWAY, STATIC_DNS)
    ),
    accepted("R16", "none of the three"),
    accepted("R16", "all three", STATIC),
    refused("R16", (STATIC_GATEWAY, STATIC_DNS), "an address alone", {STATIC_IP: "192.0.2.9"}),
    refused("R16", (STATIC_IP, STATIC_DNS), "a gateway alone", {STATIC_GATEWAY: "192.0.2.1"}),
    refused("R16", (STATIC_IP, STATIC_GATEWAY), "a name server alone", {STATIC_DNS: "192.0.2.1"}),
    *(
        refused("R16", path, f"all but {path.rpartition('.')[2]}", STATIC, {path: None})
        for path in (STATIC_IP, STATIC_GATEWAY, STATIC_DNS)
    ),
    accepted("X5", "an address and gateway of the machine network", STATIC),
    accepted(
        "X5",
        "IPv6",
        TO_IPV6,
        {
            STATIC_IP: "2001:db8:0:1::9",
            STATIC_GATEWAY: "2001:db8:0:1::1",
            STATIC_DNS: "2001:db8::53",
        },
    ),
    refused(
        "X5",
        STATIC_IP,
        "an address elsewhere",
        STATIC,
        {STATIC_IP: "203.0.113.9"},
        says="no machine",
    ),
    refused(
        "X5", STATIC_GATEWAY, "its own address as gateway", STATIC, {STATIC_GATEWAY: "192.0.2.9"}
    ),
    refused(
        "X5",
        STATIC_GATEWAY,
        "a gateway in another network",
        STATIC,
        {f"{MACHINE}[1].cidr": "203.0.113.0/24", STATIC_GATEWAY: "203.0.113.1"},
        says="not in 192.0.2.0/24",
    ),
    # rule R2, R3, R10: where provisioning addresses lie
    accepted("R2", "no address", TO_DISABLED),
    accepted("R2", "an address of a machine network", TO_DISABLED, {BOOTSTRAP: "192.0.2.9"}),
    refused("R2", BOOTSTRAP, "an address elsewhere", TO_DISABLED, {BOOTSTRAP: "172.22.0.2"}),
    accepted("R3", "the default"),
    accepted("R3", "an address of the network", {BOOTSTRAP: "172.22.0.9"}),
    accepted("R3", "IPv6", TO_IPV6, {BOOTSTRAP: "fd00:1101::9"}),
    refused(
        "R3", BOOTSTRAP, "an address elsewhere", {BOOTSTRAP: "172.23.0.2"}, says="172.22.0.0/24"
    ),
    refused(
        "R3", BOOTSTRAP, "an address of the machine network", UNMANAGED, {BOOTSTRAP: "192.0.2.9"}
    ),
    refused(
        "R3",
        BOOTSTRAP,
        "a network that is too small for the default",
        UNMANAGED,
        {CIDR: "172.22.0.0/31", IN_CLUSTER: "172.22.0.1"},
        says="too small",
    ),
    accepted("R10", "the default"),
    accepted(
        "R10",
        "an address of a machine network when Disabled",
        TO_DISABLED,
        {IN_CLUSTER: "192.0.2.9"},
    ),
    refused(
        "R10", IN_CLUSTER, "an address elsewhere", {IN_CLUSTER: "172.23.0.3"}, says="172.22.0.0/24"
    ),
    refused("R10", IN_CLUSTER, "elsewhere when Disabled", TO_DISABLED, {IN_CLUSTER: "172.22.0.3"}),
    refused("R10", IN_CLUSTER, "another family", TO_IPV6, {IN_CLUSTER: "172.22.0.3"}),
    refused(
        "R10",
        IN_CLUSTER,
        "a network that is too small for the default",
        UNMANAGED,
        {CIDR: "172.22.0.0/30"},
        says="too small",
    ),
    # rule R4: the bootstrap VM's MAC addresses
    accepted(
        "R4",
        "two addresses",
        {EXTERNAL_MAC: "52:54:00:00:01:01", PROVISIONING_MAC: "52:54:00:00:01:02"},
    ),
    refused("R4", EXTERNAL_MAC, "no MAC address", {EXTERNAL_MAC: "eth0"}, says="'eth0'"),
    refused("R4", PROVISIONING_MAC, "multicast", {PROVISIONING_MAC: "01:00:5e:00:00:01"}),
    refused(
        "R4",
        PROVISIONING_MAC,
        "one address for both, in another letter case",
        {EXTERNAL_MAC: "52:54:00:00:01:aa", PROVISIONING_MAC: "52:54:00:00:01:AA"},
        says="is also externalMACAddress",
    ),
    # rule R5, R6: URIs
    accepted("R5", "the default"),
    accepted("R5", "a remote one", {URI: "qemu+ssh://root@kvm.example.com/system"}),
    refused("R5", URI, "a path", {URI: "/system"}, says="'/system'"),
    refused("R5", URI, "a bad host", {URI: "qemu://[x/system"}),
    accepted("R6", "no image"),
    accepted(
        "R6", "an image with its sum", {IMAGE: f"https://example.com/image.qcow2?sha256={SUM}"}
    ),
    accepted("R6", "http", {IMAGE: f"http://[2001:db8::1]:8080/i?sha256={SUM.upper()}"}),
    refused("R6", IMAGE, "a path", {IMAGE: "/image"}, says="not an http or https URL"),
    refused("R6", IMAGE, "ftp", {IMAGE: f"ftp://example.com/i?sha256={SUM}"}),
    refused("R6", IMAGE, "no host", {IMAGE: f"https:///i?sha256={SUM}"}),
    refused("R6", IMAGE, "a bad host", {IMAGE: f"https://[x/i?sha256={SUM}"}),
    *(
        refused(
            "R6",
            IMAGE,
            f"a {one} image",
            {IMAGE: f"https://example.com/i.qcow2.{one}?sha256={SUM}"},
            says="compressed",
        )
        for one in ("gz", "xz")
    ),
    refused("R6", IMAGE, "no sum", {IMAGE: "https://example.com/i"}, says="no sha256"),
    refused("R6", IMAGE, "a short sum", {IMAGE: f"https://example.com/i?sha256={SUM[1:]}"}),
    refused(
        "R6", IMAGE, "another sum's digits", {IMAGE: f"https://example.com/i?sha256={'g' * 64}"}
    ),
    # rule R8: IPv6 and dnsmasq
    accepted("R8", "IPv6 /64", TO_IPV6),
    accepted("R8", "IPv6 /56, Unmanaged", TO_IPV6, UNMANAGED, {CIDR: "fd00:1101::/56"}),
    refused("R8", CIDR, "IPv6 /56, Managed", TO_IPV6, {CIDR: "fd00:1101::/56"}, says="64 or more"),
    # rule R9, X10: apart from the other networks
    accepted("R9", "a network of its own"),
    accepted("R9", "another family", TO_DUAL_STACK),
    accepted("R9", "an overlap when there is none", TO_DISABLED, {CIDR: "192.0.2.0/24"}),
    refused("R9", CIDR, "host bits", {CIDR: "172.22.0.1/24"}, says="write 172.22.0.0/24"),
    refused("R9", CIDR, "no CIDR", {CIDR: "172.22.0.0"}, says="no prefix length"),
    refused(
        "R9",
        CIDR,
        "a machine network",
        {f"{MACHINE}[1].cidr": "172.22.0.0/16"},
        says="172.22.0.0/16",
    ),
    refused(
        "R9", CIDR, "a machine network, IPv6", TO_IPV6, {f"{MACHINE}[1].cidr": "fd00:1101::/48"}
    ),
    accepted("X10", "a network of its own"),
    refused(
        "X10", CIDR, "the service network", {SERVICE: ["172.22.0.0/16"]}, says="service network"
    ),
    refused(
        "X10",
        CIDR,
        "the cluster network",
        {CLUSTER: [{"cidr": "172.20.0.0/14"}]},
        says="cluster network",
    ),
    # rule R11: the gateway
    accepted("R11", "no gateway"),
    accepted("R11", "a gateway", {GATEWAY: "172.22.0.1"}),
    accepted("R11", "a gateway, Unmanaged", UNMANAGED, {GATEWAY: "172.22.0.254"}),
    accepted("R11", "the first address of IPv6", TO_IPV6, {GATEWAY: "fd00:1101::"}),
    accepted("R11", "a gateway when Disabled", TO_DISABLED, {GATEWAY: "172.22.0.1"}),
    refused(
        "R11", GATEWAY, "elsewhere", {GATEWAY: "172.23.0.1"}, says="not in provisioningNetworkCIDR"
    ),
    refused("R11", GATEWAY, "the network's address", {GATEWAY: "172.22.0.0"}, says="broadcast"),
    refused("R11", GATEWAY, "the broadcast address", {GATEWAY: "172.22.0.255"}),
    refused(
        "R11",
        GATEWAY,
        "clusterProvisioningIP",
        {GATEWAY: "172.22.0.3"},
        says="clusterProvisioningIP",
    ),
    refused(
        "R11",
        GATEWAY,
        "bootstrapProvisioningIP",
        {GATEWAY: "172.22.0.2"},
        says="bootstrapProvisioningIP",
    ),
    # rule R13, X11: the DHCP range
    accepted("R13", "the default"),
    accepted("R13", "a range of the network", {RANGE: "172.22.0.20, 172.22.0.80"}),
    accepted("R13", "IPv6", TO_IPV6, {RANGE: "fd00:1101::a,fd00:1101::ff"}),
    refused(
        "R13", RANGE, "one address", {RANGE: "172.22.0.10"}, says="'172.22.0.10' is not a range"
    ),
    refused("R13", RANGE, "three addresses", {RANGE: "172.22.0.10,172.22.0.11,172.22.0.12"}),
    refused("R13", RANGE, "words", {RANGE: "from,to"}),
    refused(
        "R13", RANGE, "two families", {RANGE: "172.22.0.10,fd00::1"}, says="mixes IPv4 and IPv6"
    ),
    refused("R13", (RANGE, RANGE), "elsewhere", {RANGE: "172.23.0.10,172.23.0.20"}),
    refused(
        "R13", RANGE, "an end elsewhere", {RANGE: "172.22.0.10,172.22.1.20"}, says="172.22.1.20"
    ),
    refused("R13", IN_CLUSTER, "clusterProvisioningIP in it", {IN_CLUSTER: "172.22.0.30"}),
    refused("R13", BOOTSTRAP, "bootstrapProvisioningIP in it", {BOOTSTRAP: "172.22.0.30"}),
    refused(
        "R13",
        GATEWAY,
        "the gateway in it",
        {GATEWAY: "172.22.0.30"},
        says="172.22.0.10,172.22.0.254",
    ),
    refused(
        "R13",
        GATEWAY,
        "the gateway in it, Unmanaged",
        UNMANAGED,
        {RANGE: "172.22.0.10,172.22.0.99", GATEWAY: "172.22.0.30"},
    ),
    accepted("X11", "upwards"),
    accepted("X11", "one address", {RANGE: "172.22.0.10,172.22.0.10"}),
    accepted(
        "X11",
        "a small network with a range",
        {CIDR: "172.22.0.0/29", RANGE: "172.22.0.4,172.22.0.6"},
    ),
    accepted("X11", "a small network, Unmanaged", UNMANAGED, {CIDR: "172.22.0.0/29"}),
    refused(
        "X11",
        RANGE,
        "downwards",
        {RANGE: "172.22.0.80,172.22.0.20"},
        says="write 172.22.0.20,172.22.0.80",
    ),
    refused("X11", CIDR, "a small network", {CIDR: "172.22.0.0/29"}, says="too small"),
    # rule X12: two addresses
    accepted("X12", "two addresses"),
    refused("X12", IN_CLUSTER, "one for both", {BOOTSTRAP: "172.22.0.3"}, says="172.22.0.3"),
    refused(
        "X12",
        IN_CLUSTER,
        "one for both, given",
        {BOOTSTRAP: "172.22.0.9", IN_CLUSTER: "172.22.0.9"},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_provisioning_rules(case: Case) -> None:
    case.check()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({CIDR: "x", IN_CLUSTER: "10.1.1.1"}, [("R9", CIDR)], id="unreadable network"),
        pytest.param({MODE: "x", BOOTSTRAP: "10.1.1.1"}, [("B1", MODE)], id="unknown mode"),
        pytest.param({IN_CLUSTER: "x"}, [("B2", IN_CLUSTER)], id="unreadable address"),
        pytest.param({RANGE: "x"}, [("R13", RANGE)], id="unreadable range"),
        pytest.param({CIDR: ["172.22.0.0/24"], GATEWAY: "10.1.1.1"}, [("F7", CIDR)], id="a list"),
        pytest.param(
            {CIDR: "172.22.0.7/24", GATEWAY: "10.1.1.1"},
            [("R9", CIDR), ("R11", GATEWAY)],
            id="host bits",
        ),
        pytest.param(
            {BALANCER: "x", RECORDS: "External"}, [("B10", BALANCER)], id="unknown balancer"
        ),
    ],
)
def test_one_mistake_on_the_provisioning_network_is_one_error(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert places_of(changed(changes).report().errors) == expected


def test_an_address_that_may_be_in_an_unreadable_machine_network_is_not_refused() -> None:
    report = changed(
        TO_DISABLED,
        STATIC,
        {f"{MACHINE}[1].cidr": "?", IN_CLUSTER: "203.0.113.7", STATIC_IP: "203.0.113.9"},
    ).report()

    assert places_of(report.errors) == [("N3", f"{MACHINE}[1].cidr")]
