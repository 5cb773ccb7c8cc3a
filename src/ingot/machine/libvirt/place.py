"""A libvirt as a place for the machines of an install."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ingot.machine.hypervisor import Flavour, HypervisorError, Room, bridges_in
from ingot.machine.libvirt.driver import IMAGES, LibvirtDriver
from ingot.machine.libvirt.refusal import LibvirtRefused
from ingot.machine.libvirt.virsh import Virsh
from ingot.process import MissingProgram

__all__ = ["LibvirtPlace"]

_DEVICE = re.compile(r"net_(?P<name>.+?)(_[0-9a-f]{2}){6}")
"""What libvirt calls a network device: its name and its MAC address."""


@dataclass(frozen=True, slots=True)
class LibvirtPlace:
    """One libvirt, on this machine or another.

    Attributes:
        driver: who makes machines there.
        namespace: the network namespace that has its bridges, where it is a lab's own: that one
            has no driver for network devices, which would need udev.
    """

    driver: LibvirtDriver
    namespace: str | None = None

    @property
    def flavour(self) -> Flavour:
        """Its machines boot as servers do."""
        return "metal"

    def bridges(self) -> frozenset[str]:
        """Return the network devices that libvirt sees; which of them are bridges it does not say.

        Raises:
            HypervisorError: it cannot be reached, or is not installed.
        """
        if self.namespace is not None:
            return bridges_in(self.namespace)
        try:
            seen = self._virsh("nodedev-list", "--cap", "net")
        except (LibvirtRefused, MissingProgram) as failed:
            raise HypervisorError(
                f"libvirt at {self.driver.uri} cannot be used: {failed}",
                remedy=failed.remedy
                or "start libvirtd there, or set platform.baremetal.libvirtURI to another one",
            ) from failed
        found = (_DEVICE.fullmatch(line.strip()) for line in seen.splitlines())
        return frozenset(one["name"] for one in found if one)

    def room(self) -> Room:
        """Return what the hypervisor has left; its disk is seen only where it is this machine."""
        virsh = self._virsh
        try:
            seen = {
                words[0]: int(words[1])
                for line in virsh("nodememstats").replace(":", " ").splitlines()
                if len(words := line.split()) > 1 and words[1].isdigit()
            }
        except LibvirtRefused:
            seen = {}
        memory = sum(seen.get(name, 0) for name in ("free", "buffers", "cached")) * 1024
        disk = None
        if virsh.is_local:
            folder = Path(self.driver.pool_path or IMAGES)
            there = next(path for path in (folder, *folder.parents) if path.exists())
            disk = shutil.disk_usage(there).free
        return Room(memory or None, disk)

    @property
    def _virsh(self) -> Virsh:
        return Virsh(self.driver.uri, self.driver.program)
