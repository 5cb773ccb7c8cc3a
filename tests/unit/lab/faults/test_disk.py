"""What the shim and libvirt are told about a host's disks and clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.lab.faults.disk import accesses_per_second, disk_targets, shim_faults
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.machine.uml.shim import ShimFaults

LISTING = """\
 file   disk     sda      /var/lib/libvirt/images/one two.img
 block  disk     vdb      /dev/vg/b
 file   cdrom    sdc      -
 file   floppy   fda      -
"""


def fault(kind: FaultKind, amount: float | None = None, seed: int = 0) -> Fault:
    return Fault(host="a", kind=kind, amount=amount, seed=seed).checked()


def test_nothing_goes_wrong_without_faults() -> None:
    assert shim_faults([]) == ShimFaults()
    assert shim_faults([fault(FaultKind.NIC_SLOW)]) == ShimFaults()


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ([fault(FaultKind.DISK_SLOW)], ShimFaults(delay_microseconds=20_000)),
        ([fault(FaultKind.DISK_SLOW, 0.25)], ShimFaults(delay_microseconds=250)),
        ([fault(FaultKind.DISK_READ_ONLY)], ShimFaults(read_only=True)),
        (
            [fault(FaultKind.DISK_ERRORS, 2.5, seed=7)],
            ShimFaults(errors_per_million=25_000, seed=7),
        ),
        (
            [fault(FaultKind.DISK_ERRORS), fault(FaultKind.DISK_SLOW, 1)],
            ShimFaults(errors_per_million=1_000_000, delay_microseconds=1_000),
        ),
    ],
)
def test_disk_faults_are_told_in_the_units_of_the_shim(
    faults: list[Fault], told: ShimFaults
) -> None:
    assert shim_faults(faults) == told


def test_the_clock_is_wrong_only_for_a_boot_that_is_struck() -> None:
    wrong = fault(FaultKind.CLOCK_WRONG, -8)
    assert shim_faults([wrong]) == ShimFaults()
    struck = replace(wrong, striking=True)
    assert shim_faults([struck]) == ShimFaults(clock_offset_seconds=-8 * 3600)


@pytest.mark.parametrize(("milliseconds", "limit"), [(20, 50), (1, 1000), (5000, 1)])
def test_a_slow_disk_of_libvirt_has_few_accesses_in_a_second(
    milliseconds: float, limit: int
) -> None:
    assert accesses_per_second([fault(FaultKind.DISK_SLOW, milliseconds)]) == limit


def test_a_disk_of_libvirt_has_no_limit_without_the_fault() -> None:
    assert accesses_per_second([fault(FaultKind.NIC_SLOW)]) == 0


def test_only_disks_of_libvirt_are_limited() -> None:
    assert list(disk_targets(LISTING)) == ["sda", "vdb"]
