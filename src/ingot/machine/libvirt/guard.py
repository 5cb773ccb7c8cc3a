"""Waits for a guest to reboot while a one-time boot source is pending, and then takes it away.

A start or a reset of ours uses it up at once. A guest that reboots by itself does so in QEMU alone,
and only who listens to libvirt's events at that moment knows. So a program of its own listens, for
that one event, from when the source is set on a running machine until it is used or withdrawn.
"""

from __future__ import annotations

import subprocess
import sys

from pydantic import TypeAdapter

from ingot.machine.libvirt.domain import domain_name
from ingot.machine.libvirt.driver import LibvirtDriver
from ingot.machine.libvirt.virsh import Virsh

__all__ = ["main"]


def main() -> None:
    """Guard a machine, told by the arguments: the driver as JSON, and the machine's name."""
    driver = TypeAdapter(LibvirtDriver).validate_json(sys.argv[1])
    machine = sys.argv[2]
    virsh = Virsh(driver.uri, driver.program)
    wait = virsh.words("event", "--domain", domain_name(driver.owner, machine), "--event", "reboot")
    # In our own process group, so that whoever ends us ends it too.
    if subprocess.run(wait, check=False).returncode == 0:  # noqa: S603 - virsh, by its own path
        driver.settle(machine)


if __name__ == "__main__":
    main()
