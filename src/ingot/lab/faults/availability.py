"""Which faults there are on which hosts.

The disks, the clock and the processor of a libvirt host are QEMU's and libvirt's; of what can go
wrong with them, only a slow disk is within reach from outside. The cards of a host on another PC's
libvirt are out of reach altogether.
"""

from __future__ import annotations

from ingot.errors import ExitCode, IngotError
from ingot.lab.faults.kind import FaultKind
from ingot.lab.outlets import is_elsewhere
from ingot.lab.plan import DriverKind, HostPlan

__all__ = ["FaultNotAvailable", "check_available"]

UML_ONLY = frozenset(
    {
        FaultKind.BOOT_SLOW,
        FaultKind.CLOCK_WRONG,
        FaultKind.CPU_STARVED,
        FaultKind.DISK_ERRORS,
        FaultKind.DISK_READ_ONLY,
    }
)

ON_OUR_BRIDGE = frozenset({FaultKind.NIC_LOSSY, FaultKind.NIC_SLOW, FaultKind.NO_DHCP})


class FaultNotAvailable(IngotError):  # noqa: N818 - it says what was asked for
    """What runs a host cannot be made to have that fault."""

    exit_code = ExitCode.USAGE

    def __init__(self, host: str, kind: FaultKind, why: str) -> None:
        super().__init__(
            f"{kind} is not available on {host}: {why}",
            remedy="set it on a host whose driver is uml",
        )
        self.host = host
        self.kind = kind


def check_available(host: HostPlan, kind: FaultKind) -> None:
    """Check that a host can have a fault.

    Raises:
        FaultNotAvailable: it cannot.
    """
    if host.driver is not DriverKind.LIBVIRT:
        return
    if kind in UML_ONLY:
        raise FaultNotAvailable(host.name, kind, "it is not available on libvirt hosts")
    if kind in ON_OUR_BRIDGE and is_elsewhere(host):
        raise FaultNotAvailable(host.name, kind, "its cards are not on this PC's bridges")
