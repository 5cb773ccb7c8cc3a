"""A lab of one host, as far as faults are concerned."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path

from ingot.lab.plan import (
    BmcKind,
    BmcPlan,
    DriverKind,
    HostPlan,
    LabPlan,
    NetworkPlan,
    NicPlan,
    ProvisioningMode,
    Role,
)
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.model import BootMode, MacAddress


def no_libvirt(host: HostPlan) -> Virsh:
    """Answer for hosts that have no libvirt behind them."""
    raise AssertionError(f"nobody asks for the libvirt of {host.name}")


def lab_plan(
    *,
    host: str = "a",
    ports: tuple[str, ...] = (),
    driver: DriverKind = DriverKind.UML,
    uri: str | None = None,
    namespace: str = "ingot-test",
) -> LabPlan:
    """Return the plan of a lab with one host."""
    address = IPv4Address("192.0.2.1")
    network = IPv4Network("192.0.2.0/24")
    return LabPlan(
        name="test",
        directory=Path("/nowhere"),
        namespace=namespace,
        cluster_name="test",
        base_domain="example.com",
        networks=NetworkPlan(
            external=network,
            external_gateway=address,
            provisioning=None,
            provisioning_mode=ProvisioningMode.DISABLED,
            out_of_band=network,
            out_of_band_gateway=address,
            api_vip=address,
            ingress_vip=address,
            uplink="none",
            uplink_outside=IPv4Interface("192.0.2.1/24"),
            uplink_inside=IPv4Interface("192.0.2.2/24"),
        ),
        hosts=(
            HostPlan(
                name=host,
                role=Role.WORKER,
                uuid="00000000-0000-0000-0000-000000000001",
                serial="1",
                driver=driver,
                libvirt_uri=uri,
                memory_mib=64,
                cpus=1,
                boot_mode=BootMode.LEGACY,
                nics=tuple(
                    NicPlan(mac=MacAddress(f"02:00:00:00:00:{number:02x}"), bridge="lan", port=port)
                    for number, port in enumerate(ports, start=2)
                ),
                disks=(),
                bmc=BmcPlan(kind=BmcKind.REDFISH, address=address, username="u", password="p"),
            ),
        ),
    )
