"""What a config means where it is silent."""

from __future__ import annotations

import ipaddress

import pytest

from ingot.config.model import Architecture, BareMetal, InstallConfig, MachinePool, NetworkType
from ingot.config.model.host import BootMode
from ingot.config.model.platform import LoadBalancerType
from ingot.config.model.words import DnsRecordsType, Hyperthreading, TrustBundlePolicy
from tests.unit.config.configs import ABSENT, HOST, METAL, TO_DISABLED, TO_DUAL_STACK, changed

NETWORK = f"{METAL}.provisioningNetwork"


def completed(*changes: dict[str, object]) -> InstallConfig:
    config = changed(*changes).load().config
    assert config is not None
    return config


def platform(*changes: dict[str, object]) -> BareMetal:
    return completed(*changes).baremetal


def test_networks_default_to_those_of_the_field() -> None:
    networking = completed({"networking": ABSENT}).networking

    assert networking.network_type is NetworkType.HOST_GATEWAY
    assert networking.machine_cidrs == [ipaddress.ip_network("10.0.0.0/16")]
    assert networking.cluster_cidrs == [ipaddress.ip_network("10.128.0.0/14")]
    assert [entry.host_prefix for entry in networking.cluster_network] == [23]
    assert networking.service_network == (ipaddress.ip_network("172.30.0.0/16"),)


def test_empty_lists_of_networks_are_silent_too() -> None:
    empty: dict[str, object] = {"machineNetwork": [], "clusterNetwork": [], "serviceNetwork": None}

    assert completed({"networking": empty}) == completed({"networking": ABSENT})


def test_host_prefixes_default_by_family() -> None:
    entries = [{"cidr": "10.128.0.0/14"}, {"cidr": "fd01::/48"}]
    networking = completed(dict(TO_DUAL_STACK), {"networking.clusterNetwork": entries}).networking

    assert [entry.host_prefix for entry in networking.cluster_network] == [23, 64]


def test_pools_default_to_three_masters_and_three_workers() -> None:
    config = completed({"controlPlane": ABSENT, "compute": ABSENT})

    assert config.control_plane == MachinePool(name="master", replicas=3)
    assert config.compute == (MachinePool(name="worker", replicas=3),)
    assert config.control_plane.hyperthreading is Hyperthreading.ENABLED
    assert config.control_plane.architecture is Architecture.AMD64


def test_a_pool_without_replicas_has_three() -> None:
    config = completed({"controlPlane": {"name": "master"}, "compute": [{"name": "worker"}]})

    assert (config.control_plane.replicas, config.compute[0].replicas) == (3, 3)


def test_no_replicas_are_not_silence() -> None:
    assert completed({"compute[0].replicas": 0}).compute[0].replicas == 0


def test_the_trust_bundle_is_for_proxies() -> None:
    assert completed().additional_trust_bundle_policy is TrustBundlePolicy.PROXY_ONLY


def test_the_platform_defaults_to_the_field_s() -> None:
    metal = platform({NETWORK: ABSENT})

    assert metal.libvirt_uri == "qemu:///system"
    assert metal.external_bridge == "baremetal"
    assert metal.provisioning_network == "Managed"
    assert metal.load_balancer.type is LoadBalancerType.OPENSHIFT_MANAGED_DEFAULT
    assert metal.dns_records_type is DnsRecordsType.INTERNAL
    assert metal.hosts[0].boot_mode is BootMode.UEFI


def provisioning(metal: BareMetal) -> dict[str, str | None]:
    return {
        "bridge": metal.provisioning_bridge,
        "cidr": _text(metal.provisioning_network_cidr),
        "range": _text(metal.provisioning_dhcp_range),
        "bootstrap": _text(metal.bootstrap_provisioning_ip),
        "cluster": _text(metal.cluster_provisioning_ip),
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


NOTHING = {"bridge": "", "cidr": None, "range": None, "bootstrap": None, "cluster": None}
MANAGED = {
    "bridge": "provisioning",
    "cidr": "172.22.0.0/24",
    "range": "172.22.0.10,172.22.0.254",
    "bootstrap": "172.22.0.2",
    "cluster": "172.22.0.3",
}
CIDR, IN_CLUSTER = f"{METAL}.provisioningNetworkCIDR", f"{METAL}.clusterProvisioningIP"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, MANAGED, id="Managed"),
        pytest.param({NETWORK: "Unmanaged"}, MANAGED | {"range": None}, id="Unmanaged"),
        pytest.param(TO_DISABLED, NOTHING, id="Disabled"),
        pytest.param(
            {**TO_DISABLED, IN_CLUSTER: "192.0.2.9"},
            NOTHING | {"cidr": "192.0.2.0/24", "cluster": "192.0.2.9"},
            id="Disabled with an address of a machine network",
        ),
        pytest.param(
            {**TO_DISABLED, IN_CLUSTER: "203.0.113.9"},
            NOTHING | {"cluster": "203.0.113.9"},
            id="Disabled with an address of none",
        ),
        pytest.param(
            {CIDR: "fd00:1101::/64"},
            {
                "bridge": "provisioning",
                "cidr": "fd00:1101::/64",
                "range": "fd00:1101::a,fd00:1101::ffff:ffff:ffff:fffe",
                "bootstrap": "fd00:1101::2",
                "cluster": "fd00:1101::3",
            },
            id="IPv6",
        ),
        pytest.param(
            {CIDR: "172.22.0.0/28"},
            MANAGED | {"cidr": "172.22.0.0/28", "range": "172.22.0.10,172.22.0.14"},
            id="a small network",
        ),
        pytest.param(
            {CIDR: "172.22.0.0/29"},
            MANAGED | {"cidr": "172.22.0.0/29", "range": None},
            id="a network without room for DHCP",
        ),
        pytest.param(
            {CIDR: "172.22.0.0/30"},
            MANAGED | {"cidr": "172.22.0.0/30", "range": None, "cluster": None},
            id="a network without room for two addresses",
        ),
        pytest.param(
            {CIDR: "172.22.0.0/32"},
            NOTHING | {"bridge": "provisioning", "cidr": "172.22.0.0/32"},
            id="a network of one address",
        ),
        pytest.param(
            {f"{METAL}.provisioningBridge": "br0", IN_CLUSTER: "172.22.0.5"},
            MANAGED | {"bridge": "br0", "cluster": "172.22.0.5"},
            id="what is given stays",
        ),
    ],
)
def test_the_provisioning_network_defaults_by_its_mode(
    changes: dict[str, object], expected: dict[str, str | None]
) -> None:
    assert provisioning(platform(changes)) == expected


def test_a_host_has_no_role_and_no_hints_unless_given() -> None:
    host = platform({f"{HOST}.role": ABSENT}).hosts[0]

    assert (host.role, host.root_device_hints, host.network_config) == ("", None, None)
