"""What goes wrong with a host's disks and its clock.

On a User-Mode Linux host the fault shim does it, told by a file in the machine's folder. On a
libvirt host, libvirt limits how many accesses there are in a second, which is how a slow disk shows
to what runs on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.uml.shim import ShimFaults

__all__ = ["Domain", "accesses_per_second", "disk_targets", "shim_faults"]

MICROSECONDS_IN_MILLISECOND = 1_000
MILLION_IN_PERCENT = 10_000
SECONDS_IN_HOUR = 3_600


def shim_faults(faults: Iterable[Fault]) -> ShimFaults:
    """Return what the shim of a host is told when these faults are set on it."""
    by_kind = {fault.kind: fault for fault in faults}
    errors = by_kind.get(FaultKind.DISK_ERRORS)
    clock = by_kind.get(FaultKind.CLOCK_WRONG)
    return ShimFaults(
        delay_microseconds=_scaled(by_kind.get(FaultKind.DISK_SLOW), MICROSECONDS_IN_MILLISECOND),
        errors_per_million=_scaled(errors, MILLION_IN_PERCENT),
        read_only=FaultKind.DISK_READ_ONLY in by_kind,
        clock_offset_seconds=_scaled(clock if clock and clock.striking else None, SECONDS_IN_HOUR),
        seed=errors.seed if errors else 0,
    )


def accesses_per_second(faults: Iterable[Fault]) -> int:
    """Return how many accesses a slow disk manages; 0 has no limit."""
    for fault in faults:
        if fault.kind is FaultKind.DISK_SLOW and fault.amount:
            return max(1, round(1000 / fault.amount))
    return 0


@dataclass(frozen=True, slots=True)
class Domain:
    """A libvirt host, as far as its disks are concerned."""

    virsh: Virsh
    name: str

    def limit_disks(self, per_second: int) -> None:
        """Limit the accesses to each disk, now and at later starts; 0 lifts the limit."""
        state = self.virsh("domstate", self.name).strip()
        scopes = ["--config"] if state == "shut off" else ["--live", "--config"]
        for target in disk_targets(self.virsh("domblklist", "--details", self.name)):
            limit = ("--total-iops-sec", str(per_second))
            self.virsh("blkdeviotune", self.name, target, *limit, *scopes)


def disk_targets(listing: str) -> Iterator[str]:
    """Return the targets of the disks that `virsh domblklist --details` shows, without drives."""
    for line in listing.splitlines():
        words = line.split()
        if words[1:2] == ["disk"]:
            yield words[2]


def _scaled(fault: Fault | None, factor: int) -> int:
    return round((fault.amount or 0) * factor) if fault else 0
