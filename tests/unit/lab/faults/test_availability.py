"""Which faults a host can have depends on what runs it."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from ingot.lab.faults.availability import FaultNotAvailable, check_available
from ingot.lab.faults.kind import FaultKind
from ingot.lab.plan import BmcKind, BmcPlan, DriverKind, HostPlan, Role
from ingot.machine.model import BootMode


def host(driver: DriverKind, uri: str | None = None) -> HostPlan:
    return HostPlan(
        name="a",
        role=Role.WORKER,
        uuid="2d8c4f5e-0000-4000-8000-000000000001",
        serial="1",
        driver=driver,
        libvirt_uri=uri,
        memory_mib=1024,
        cpus=1,
        boot_mode=BootMode.LEGACY,
        nics=(),
        disks=(),
        bmc=BmcPlan(
            kind=BmcKind.REDFISH, address=IPv4Address("192.0.2.1"), username="u", password="p"
        ),
    )


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_uml_host_can_have_every_fault(kind: FaultKind) -> None:
    check_available(host(DriverKind.UML), kind)


@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.BOOT_SLOW,
        FaultKind.CLOCK_WRONG,
        FaultKind.CPU_STARVED,
        FaultKind.DISK_ERRORS,
        FaultKind.DISK_READ_ONLY,
    ],
)
def test_what_only_a_uml_host_can_have_is_refused_on_others(kind: FaultKind) -> None:
    with pytest.raises(FaultNotAvailable, match="not available on libvirt hosts") as refused:
        check_available(host(DriverKind.LIBVIRT), kind)
    assert "uml" in refused.value.remedy


@pytest.mark.parametrize("kind", [FaultKind.DISK_SLOW, FaultKind.NIC_LOSSY, FaultKind.BMC_500])
def test_a_libvirt_host_can_have_the_others(kind: FaultKind) -> None:
    check_available(host(DriverKind.LIBVIRT), kind)


@pytest.mark.parametrize("kind", [FaultKind.NIC_LOSSY, FaultKind.NIC_SLOW, FaultKind.NO_DHCP])
def test_cards_on_another_pc_are_out_of_reach(kind: FaultKind) -> None:
    with pytest.raises(FaultNotAvailable, match="not on this PC's bridges"):
        check_available(host(DriverKind.LIBVIRT, "qemu+ssh://root@far/system"), kind)
    check_available(host(DriverKind.LIBVIRT, "qemu:///system"), kind)
