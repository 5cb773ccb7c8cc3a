"""What becomes of a host under each fault of the lab: the table that its test reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import yaml

from ingot.lab.faults.kind import FaultKind
from ingot.lab.plan import BmcKind

__all__ = ["CASES", "SOUND", "Case", "Work", "description"]

SOUND: Final = "sound"
"""A host without a fault; what the others suffer from is no affair of its own."""


class Work:
    """What a host is to do: no more than what the fault needs to be felt."""

    NOTHING: Final = MappingProxyType(
        {"online": False, "inspectionMode": "disabled", "automatedCleaningMode": "disabled"}
    )
    """Be registered, which asks its BMC."""
    POWER: Final = MappingProxyType({**NOTHING, "online": True})
    """Be turned on."""
    INSPECTION: Final = MappingProxyType({"online": False, "automatedCleaningMode": "disabled"})
    """Boot the agent, which looks at the hardware."""
    DEPLOYMENT: Final = MappingProxyType({**POWER, "image": {}})
    """Boot the agent, which is spoken to, and writes to a disk."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One fault on one host.

    Attributes:
        work: what the host is to do.
        told: what its status says while the fault is there; None: it gets over it.
        error: the type of the error, where it is one and not a boot that is tried again.
        bmc: how the host is spoken to.
        options: how the fault strikes.
        slow: it takes so long that it is told only where time does not matter.
    """

    work: Mapping[str, Any]
    told: str | None = None
    error: str | None = None
    bmc: BmcKind = BmcKind.REDFISH
    options: Mapping[str, float] = field(default_factory=dict)
    slow: bool = False

    @property
    def state(self) -> str:
        """Where the host is when all is well."""
        return "provisioned" if self.work is Work.DEPLOYMENT else "available"

    @property
    def boots_at_first(self) -> bool:
        """Whether the agent comes up in spite of the fault, and takes a processor to do so."""
        works = self.work in (Work.INSPECTION, Work.DEPLOYMENT)
        return works and (self.told is None or self.work is Work.DEPLOYMENT)


_VIRTUAL_MEDIA = BmcKind.REDFISH_VIRTUALMEDIA
_UNREGISTERED = "registration error"
_NO_POWER = "power management error"

CASES: Final[Mapping[FaultKind, Case]] = {
    FaultKind.BMC_SLOW: Case(work=Work.NOTHING, options={"amount": 2}),
    FaultKind.BMC_REFUSED: Case(work=Work.NOTHING, told="refused", error=_UNREGISTERED),
    FaultKind.BMC_HANGS: Case(work=Work.NOTHING, told="not at all", error=_UNREGISTERED),
    FaultKind.BMC_500: Case(work=Work.NOTHING, told="code 500", error=_UNREGISTERED),
    FaultKind.BMC_502: Case(work=Work.NOTHING, told="code 502", error=_UNREGISTERED),
    FaultKind.BMC_503: Case(work=Work.NOTHING, told="code 503", error=_UNREGISTERED),
    FaultKind.BMC_504: Case(work=Work.NOTHING, told="code 504", error=_UNREGISTERED),
    FaultKind.BMC_401: Case(work=Work.NOTHING),
    FaultKind.SESSION_LIMIT: Case(work=Work.NOTHING),
    FaultKind.POWER_IGNORED: Case(work=Work.POWER, told="power on", error=_NO_POWER),
    FaultKind.POWER_LATE: Case(work=Work.POWER),
    FaultKind.POWER_WRONG: Case(work=Work.NOTHING, told="power off", error=_NO_POWER, slow=True),
    FaultKind.BOOT_OVERRIDE_FORGOTTEN: Case(work=Work.INSPECTION),
    FaultKind.BOOT_ORDER_RESET: Case(work=Work.INSPECTION, slow=True),
    FaultKind.MEDIA_NOT_ATTACHED: Case(work=Work.INSPECTION, told="NoAgent", bmc=_VIRTUAL_MEDIA),
    FaultKind.MEDIA_EJECTED: Case(
        work=Work.INSPECTION,
        told="NoAgent",
        bmc=_VIRTUAL_MEDIA,
        options={"amount": 0},
        slow=True,
    ),
    FaultKind.ISO_CUT: Case(
        work=Work.INSPECTION, told="Virtual media", error="inspection error", bmc=_VIRTUAL_MEDIA
    ),
    FaultKind.IPMI_LOSS: Case(work=Work.NOTHING, bmc=BmcKind.IPMI, options={"rate": 0.2}),
    FaultKind.IPMI_FROZEN: Case(
        work=Work.NOTHING, told="not answer by IPMI", error=_UNREGISTERED, bmc=BmcKind.IPMI
    ),
    FaultKind.NO_DHCP: Case(work=Work.INSPECTION, told="DHCP", error="inspection error"),
    FaultKind.NIC_SLOW: Case(work=Work.INSPECTION, options={"amount": 50}, slow=True),
    FaultKind.NIC_LOSSY: Case(work=Work.INSPECTION, options={"amount": 1}, slow=True),
    FaultKind.BOOT_SLOW: Case(work=Work.INSPECTION, options={"amount": 2}, slow=True),
    FaultKind.DISK_SLOW: Case(work=Work.DEPLOYMENT, slow=True),
    FaultKind.DISK_READ_ONLY: Case(
        work=Work.DEPLOYMENT, told="does not keep", error="provisioning error"
    ),
    FaultKind.DISK_ERRORS: Case(
        work=Work.DEPLOYMENT, told="does not keep", error="provisioning error", slow=True
    ),
    FaultKind.POWERS_OFF: Case(
        work=Work.INSPECTION,
        told="power on|NoDHCP|NoBootFile|NoKernel",
        options={"amount": 1},  # Before it has fetched a kernel.
    ),
    FaultKind.CLOCK_WRONG: Case(
        work=Work.DEPLOYMENT,
        told="clock of the server is ahead",
        error="provisioning error",
        options={"amount": 8},
    ),
    FaultKind.CPU_STARVED: Case(work=Work.INSPECTION, options={"amount": 50}, slow=True),
}


def description(kinds: Mapping[FaultKind, Case]) -> str:
    """Return the lab.yaml of a lab that has a host for each fault, and a sound one."""
    sound = {"name": SOUND, "role": "control-plane", "bmc": {"kind": "redfish"}}
    faulty = [
        {
            "name": str(kind),
            "role": "spare",
            "bmc": {"kind": str(case.bmc)},
            "faults": [{"kind": str(kind), **case.options}],
        }
        for kind, case in kinds.items()
    ]
    defaults = {"memoryMiB": 2048, "disksGiB": [5]}
    lab = {"driver": "uml", "defaults": defaults, "hosts": [sound, *faulty]}
    return str(yaml.safe_dump(lab, sort_keys=False))
