"""Every fault there is: the one table that commands, documents and tests read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KINDS", "FaultKind", "KindInfo"]

DAY_SECONDS = 86_400


class FaultKind(StrEnum):
    """The name of a fault, as it is typed."""

    BMC_SLOW = "bmc-slow"
    BMC_REFUSED = "bmc-refused"
    BMC_HANGS = "bmc-hangs"
    BMC_500 = "bmc-500"
    BMC_502 = "bmc-502"
    BMC_503 = "bmc-503"
    BMC_504 = "bmc-504"
    BMC_401 = "bmc-401"
    SESSION_LIMIT = "session-limit"
    POWER_IGNORED = "power-ignored"
    POWER_LATE = "power-late"
    POWER_WRONG = "power-wrong"
    BOOT_OVERRIDE_FORGOTTEN = "boot-override-forgotten"
    BOOT_ORDER_RESET = "boot-order-reset"
    MEDIA_NOT_ATTACHED = "media-not-attached"
    MEDIA_EJECTED = "media-ejected"
    ISO_CUT = "iso-cut"
    IPMI_LOSS = "ipmi-loss"
    IPMI_FROZEN = "ipmi-frozen"
    NO_DHCP = "no-dhcp"
    NIC_SLOW = "nic-slow"
    NIC_LOSSY = "nic-lossy"
    BOOT_SLOW = "boot-slow"
    DISK_SLOW = "disk-slow"
    DISK_READ_ONLY = "disk-read-only"
    DISK_ERRORS = "disk-errors"
    POWERS_OFF = "powers-off"
    CLOCK_WRONG = "clock-wrong"
    CPU_STARVED = "cpu-starved"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindInfo:
    """What a kind means.

    Attributes:
        effect: what happens, in one line.
        counts: what one occasion is, of which `--rate`, `--times` and `--after` speak; None for a
            fault that is simply there until it is cleared.
        amount: what `--amount` means, with its unit; None where it means nothing.
        default: the amount without that option.
        least: the smallest amount that makes sense.
        most: the largest one.
        times: how often it strikes without that option; None is for ever.
        seeded: whether chance decides what is struck although no occasions are counted.
    """

    effect: str
    counts: str | None
    amount: str | None = None
    default: float | None = None
    least: float = 0
    most: float = DAY_SECONDS
    times: int | None = None
    seeded: bool = False

    @property
    def takes_seed(self) -> bool:
        """Whether `--seed` means anything."""
        return self.seeded or self.counts is not None


KINDS: Final[Mapping[FaultKind, KindInfo]] = MappingProxyType(
    {
        FaultKind.BMC_SLOW: KindInfo(
            effect="the BMC answers late",
            counts="Redfish request",
            amount="seconds of delay",
            default=5,
        ),
        FaultKind.BMC_REFUSED: KindInfo(
            effect="connections to the BMC are refused", counts="second"
        ),
        FaultKind.BMC_HANGS: KindInfo(
            effect="the BMC takes a request and never answers", counts="Redfish request"
        ),
        FaultKind.BMC_500: KindInfo(
            effect="the BMC answers 500 Internal Server Error", counts="Redfish request"
        ),
        FaultKind.BMC_502: KindInfo(
            effect="the BMC answers 502 Bad Gateway", counts="Redfish request"
        ),
        FaultKind.BMC_503: KindInfo(
            effect="the BMC answers 503 Service Unavailable", counts="Redfish request"
        ),
        FaultKind.BMC_504: KindInfo(
            effect="the BMC answers 504 Gateway Timeout", counts="Redfish request"
        ),
        FaultKind.BMC_401: KindInfo(
            effect="the BMC refuses credentials that are right",
            counts="Redfish request with credentials",
            times=1,
        ),
        FaultKind.SESSION_LIMIT: KindInfo(
            effect="the BMC has no session left to give", counts="Redfish session request"
        ),
        FaultKind.POWER_IGNORED: KindInfo(
            effect="a power action is accepted and does nothing", counts="power action"
        ),
        FaultKind.POWER_LATE: KindInfo(
            effect="the reported power state lags behind a change",
            counts="power action",
            amount="seconds of lag",
            default=15,
        ),
        FaultKind.POWER_WRONG: KindInfo(
            effect="the opposite power state is reported", counts="reading of the power state"
        ),
        FaultKind.BOOT_OVERRIDE_FORGOTTEN: KindInfo(
            effect="a one-time boot device is accepted and forgotten",
            counts="setting of a one-time boot device",
        ),
        FaultKind.BOOT_ORDER_RESET: KindInfo(
            effect="the boot order falls back to the factory's when power comes",
            counts="power on",
        ),
        FaultKind.MEDIA_NOT_ATTACHED: KindInfo(
            effect="inserted media is accepted but not there when the host boots",
            counts="media insertion",
        ),
        FaultKind.MEDIA_EJECTED: KindInfo(
            effect="inserted media ejects itself after a while",
            counts="media insertion",
            amount="seconds until then",
            default=5,
        ),
        FaultKind.ISO_CUT: KindInfo(
            effect="the BMC's download of inserted media breaks off half way",
            counts="media insertion",
        ),
        FaultKind.IPMI_LOSS: KindInfo(effect="IPMI packets are lost", counts="IPMI packet"),
        FaultKind.IPMI_FROZEN: KindInfo(
            effect="IPMI does not answer until the BMC is reset or the fault cleared",
            counts="IPMI packet",
            times=1,
        ),
        FaultKind.NO_DHCP: KindInfo(
            effect="DHCP requests of the host are lost for a whole boot", counts="power on or reset"
        ),
        FaultKind.NIC_SLOW: KindInfo(
            effect="the host's cards carry little",
            counts=None,
            amount="megabits per second",
            default=10,
            least=0.01,
            most=10_000,
        ),
        FaultKind.NIC_LOSSY: KindInfo(
            effect="the host's cards lose packets",
            counts=None,
            amount="percent lost",
            default=5,
            least=0.1,
            most=100,
            seeded=True,
        ),
        FaultKind.BOOT_SLOW: KindInfo(
            effect="the host boots many times slower",
            counts="power on or reset",
            amount="times slower",
            default=5,
            least=1,
            most=100,
        ),
        FaultKind.DISK_SLOW: KindInfo(
            effect="each access to the host's disks takes longer",
            counts=None,
            amount="milliseconds for each access",
            default=20,
            least=0.001,
            most=60_000,
        ),
        FaultKind.DISK_READ_ONLY: KindInfo(effect="the host's disks refuse writes", counts=None),
        FaultKind.DISK_ERRORS: KindInfo(
            effect="accesses to the host's disks fail",
            counts=None,
            amount="percent that fail",
            default=100,
            least=0.0001,
            most=100,
            seeded=True,
        ),
        FaultKind.POWERS_OFF: KindInfo(
            effect="the host powers itself off some time after it was powered on",
            counts="power on",
            amount="seconds until then",
            default=20,
        ),
        FaultKind.CLOCK_WRONG: KindInfo(
            effect="the host's clock is wrong when it boots",
            counts="power on or reset",
            amount="hours ahead; negative is behind",
            default=-8,
            least=-100_000,
            most=100_000,
        ),
        FaultKind.CPU_STARVED: KindInfo(
            effect="the host gets little of its processor",
            counts=None,
            amount="percent it gets",
            default=10,
            least=1,
            most=100,
        ),
    }
)
