"""How a lab is doing, as its machines show it, whether its daemon is there or not.

What is true is told, not what a BMC with a fault would say; and asking never counts as an occasion
for a fault to strike.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ingot.lab.faults.book import FaultBook
from ingot.lab.networks import BAREMETAL
from ingot.lab.plan import HostPlan, LabPlan
from ingot.lab.status import HostStatus, LabStatus
from ingot.machine.driver import Driver, MachineError
from ingot.machine.model import BootSettings, Power

__all__ = ["last_line", "report"]

TAIL_BYTES = 4096
MAX_LINE = 200

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
"""What moves a terminal's cursor, colors its text or names its window."""


def report(
    plan: LabPlan, drivers: Mapping[str, Driver], faults: FaultBook, *, running: bool
) -> LabStatus:
    """Return how a lab is doing.

    Args:
        plan: the lab.
        drivers: what runs each host.
        faults: what is set on them.
        running: whether the daemon is there.
    """
    return LabStatus(
        name=plan.name,
        running=running,
        directory=str(plan.directory),
        namespace=plan.namespace,
        api_vip=str(plan.networks.api_vip),
        hosts=tuple(_host(host, drivers[host.name], faults) for host in plan.hosts),
    )


def _host(host: HostPlan, driver: Driver, faults: FaultBook) -> HostStatus:
    addresses = [nic.address for nic in host.nics if nic.bridge == BAREMETAL and nic.address]
    seen = _look(host.name, driver)
    return HostStatus(
        name=host.name,
        role=host.role,
        driver=host.driver,
        bmc=host.bmc.kind,
        bmc_address=str(host.bmc.address),
        address=str(addresses[0]) if addresses else None,
        power=seen.power,
        boot=seen.boot,
        media=seen.media,
        activity=seen.activity,
        console=seen.console,
        faults=tuple(str(fault.kind) for fault in faults.faults(host.name)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    power: Power = Power.OFF
    boot: str = ""
    media: str | None = None
    activity: str
    console: str = ""


def _look(name: str, driver: Driver) -> _Machine:
    """Return what a machine shows; one that is out of reach must not hide the others."""
    try:
        settings = driver.boot_settings(name)
        return _Machine(
            power=driver.power(name),
            boot=_boot(settings),
            media=settings.media.name if settings.media else None,
            activity=driver.activity(name),
            console=last_line(driver.console(name)),
        )
    except MachineError as error:
        return _Machine(activity=f"cannot be seen: {error.what.splitlines()[0]}")


def _boot(settings: BootSettings) -> str:
    if settings.once is not None:
        return f"{settings.once}, once"
    return ", ".join(settings.order)


def last_line(console: Path) -> str:
    """Return the last line of a console that has something on it, as plain text."""
    try:
        with console.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            tail = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    for line in reversed(re.split(r"[\r\n]+", _ESCAPES.sub("", tail))):
        plain = "".join(letter for letter in line if letter.isprintable()).strip()
        if plain:
            return plain[:MAX_LINE]
    return ""
