"""How patient the operator is. All times are in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["BootLimits", "Delays", "DeletionLimits", "Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delays:
    """When to look again, as upstream has it; our own figures say why."""

    unmanaged: float = 600.0
    detached: float = 600.0
    secret_missing: float = 10.0
    ironic_not_ready: float = 30.0
    ramdisk_not_ready: float = 300.0
    firmware_not_ready: float = 60.0
    steady: float = 60.0
    short: float = 3.0
    long: float = 10.0
    held_capacity: float = 60.0
    held_boot_slot: float = 15.0
    """A boot takes about two minutes, so one of eight slots is free again within that."""
    hopeless: float = 3600.0
    """After a failure that only a changed input can mend. Upstream does not look again at all; a
    change that was missed would then be missed for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootLimits:
    """How long each part of a network boot may take before the boot counts as lost."""

    dhcp: float = 600.0
    """From power to the first DHCP request: a server with much memory tests it for minutes."""
    boot_file: float = 60.0
    kernel: float = 180.0
    agent: float = 600.0
    """From the kernel to the agent's first call; the initramfs is fetched and unpacked in it."""
    without_network: float = 1500.0
    """From power to the agent, by virtual media or UEFI HTTP: nothing in between can be seen."""
    cycles: int = 2
    """Power cycles before a lost boot becomes an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionLimits:
    """How long a deletion waits for a back end before it goes on and says what it leaves behind."""

    without_ironic: float = 600.0
    deprovisioning: float = 7200.0
    """Cleaning is part of it, and may take an hour on disks that must be overwritten."""
    powering_off: float = 900.0
    deleting: float = 900.0
    failures: int = 3
    """More failures in a row than this, and the step is given up; upstream's figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an administrator may set.

    Attributes:
        capacity: servers that may be inspected, provisioned or deprovisioned at once, not counting
            those with virtual media; upstream's PROVISIONING_LIMIT.
        boots: ramdisks that may boot over the site's network at once.
        provisioning_retries: failed tries of one image after which it is not tried again; 0 for
            any number.
        silent_bmc: how long Ironic may ask a BMC at registration before it is told that there is no
            answer. It goes on asking, and for a BMC that hangs it does so for many minutes.
        data_image_tries: failures to insert a DataImage after which the host is turned on without.
    """

    capacity: int = 20
    boots: int = 8
    provisioning_retries: int = 5
    silent_bmc: float = 120.0
    data_image_tries: int = 3
    delays: Delays = field(default_factory=Delays)
    boot: BootLimits = field(default_factory=BootLimits)
    deletion: DeletionLimits = field(default_factory=DeletionLimits)
