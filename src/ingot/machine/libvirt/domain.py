"""A machine as libvirt's domain XML.

The definition is always what the next start needs: with a one-time boot source pending, that
source is the only one that boots. Devices have names of our own (`ua-…`), by which QEMU is spoken
to about them while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from string import ascii_lowercase
from xml.sax.saxutils import escape, quoteattr

from ingot.machine.libvirt.record import Record
from ingot.machine.model import BootMode, BootSource, MachineSpec, Nic

__all__ = ["Domain", "boot_devices", "bootable", "domain_name", "volume_of"]

MEDIUM = "ua-medium"
DISK = "ua-disk"
CARD = "ua-card"
DRIVE = "ua-drive"

DRIVES_PER_CONTROLLER = 6
"""A SATA controller of this kind of machine has six ports."""


def domain_name(owner: str, machine: str) -> str:
    """Return the name of a machine's domain, on a libvirt that may have others' too."""
    return f"{owner}-{machine}"


def volume_of(machine: str, part: str) -> str:
    """Return the name of a volume; names of machines have no dots, so nobody else's begins so."""
    return f"{machine}.{part}"


def bootable(spec: MachineSpec) -> dict[BootSource, str]:
    """Return the device that each boot source means, where the machine has it."""
    devices = {BootSource.MEDIA: MEDIUM}
    if spec.disks:
        devices[BootSource.DISK] = f"{DISK}0"
    if spec.nics:
        devices[BootSource.NETWORK] = f"{CARD}0"
    return devices


def boot_devices(record: Record) -> tuple[str, ...]:
    """Return the devices that the next start tries, one after the other."""
    boot, devices = record.boot, bootable(record.spec)
    sources = (boot.once,) if boot.once else boot.order
    return tuple(devices[source] for source in dict.fromkeys(sources) if source in devices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Everything that goes into the XML.

    Attributes:
        owner: whose machine it is.
        record: the machine.
        pool: the folder of the storage pool where libvirt runs.
    """

    owner: str
    record: Record
    pool: PurePosixPath

    @property
    def medium_target(self) -> str:
        """The name of the virtual drive, after the disks."""
        return _target(len(self.record.spec.disks))

    def xml(self) -> str:
        """Return the definition."""
        spec = self.record.spec
        return f"""\
<domain type='{self.record.platform.accelerator}'>
  <name>{escape(domain_name(self.owner, spec.name))}</name>
  <uuid>{escape(spec.uuid)}</uuid>
  <metadata>{self.record.xml(self.owner)}</metadata>
  <memory unit='MiB'>{spec.memory_mib}</memory>
  <vcpu>{spec.cpus}</vcpu>
{self._firmware()}
  <features><acpi/><apic/></features>
  {self.record.platform.cpu}
  <clock offset='utc'/>
  <on_poweroff>destroy</on_poweroff>
  <on_reboot>restart</on_reboot>
  <on_crash>destroy</on_crash>
  <devices>
    <emulator>{escape(self.record.platform.emulator)}</emulator>
    <controller type='scsi' index='0' model='virtio-scsi'/>
    <controller type='usb' model='none'/>
{"".join(self._disks())}{self._medium()}{"".join(self._drives())}{"".join(self._cards())}\
    <serial type='pty'>
      <log file={quoteattr(self._path("console.log"))} append='on'/>
    </serial>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
    <watchdog model='itco' action='none'/>
    <memballoon model='none'/>
  </devices>
</domain>
"""

    def _firmware(self) -> str:
        boot = self.record.boot
        if boot.mode is BootMode.LEGACY:
            return """\
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <bios useserial='yes'/>
  </os>"""
        # Keys are enrolled in the variables' template, so each kind has a file of its own.
        secure = "yes" if boot.secure_boot else "no"
        variables = self._path("secure-nvram" if boot.secure_boot else "nvram")
        return f"""\
  <os firmware='efi'>
    <type arch='x86_64' machine='q35'>hvm</type>
    <firmware>
      <feature enabled='{secure}' name='enrolled-keys'/>
      <feature enabled='{secure}' name='secure-boot'/>
    </firmware>
    <nvram>{escape(variables)}</nvram>
  </os>"""

    def _disks(self) -> Iterator[str]:
        for number, disk in enumerate(self.record.spec.disks):
            yield f"""\
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw' discard='unmap'/>
      <source file={quoteattr(self._path(f"disk{number}"))}/>
      <target dev='{_target(number)}' bus='scsi'/>
      <serial>{escape(disk.serial)}</serial>
      <wwn>{escape(disk.wwn.removeprefix("0x"))}</wwn>
{self._boot(f"{DISK}{number}")}      <alias name='{DISK}{number}'/>
      <address type='drive' controller='0' bus='0' target='0' unit='{number}'/>
    </disk>
"""

    def _medium(self) -> str:
        volume = self.record.medium
        source = f"      <source file={quoteattr(str(self.pool / volume))}/>\n" if volume else ""
        return self._optical(MEDIUM, 0, source)

    def _drives(self) -> Iterator[str]:
        for number, _ in enumerate(self.record.spec.drives):
            source = f"      <source file={quoteattr(self._path(f'drive{number}'))}/>\n"
            yield self._optical(f"{DRIVE}{number}", number + 1, source)

    def _optical(self, alias: str, port: int, source: str) -> str:
        controller, unit = divmod(port, DRIVES_PER_CONTROLLER)
        return f"""\
    <disk type='file' device='cdrom'>
      <driver name='qemu' type='raw'/>
{source}      <target dev='{_target(len(self.record.spec.disks) + port)}' bus='sata'/>
      <readonly/>
{self._boot(alias)}      <alias name='{alias}'/>
      <address type='drive' controller='{controller}' bus='0' target='0' unit='{unit}'/>
    </disk>
"""

    def _cards(self) -> Iterator[str]:
        for number, nic in enumerate(self.record.spec.nics):
            yield self._card(f"{CARD}{number}", nic)

    def _card(self, alias: str, nic: Nic) -> str:
        return f"""\
    <interface type='bridge'>
      <mac address={quoteattr(nic.mac)}/>
      <source bridge={quoteattr(nic.bridge)}/>
      <target dev={quoteattr(nic.port)}/>
      <model type='virtio'/>
{self._boot(alias)}      <alias name='{alias}'/>
    </interface>
"""

    def _boot(self, alias: str) -> str:
        devices = boot_devices(self.record)
        if alias not in devices:
            return ""
        return f"      <boot order='{devices.index(alias) + 1}'/>\n"

    def _path(self, part: str) -> str:
        return str(self.pool / volume_of(self.record.spec.name, part))


def _target(number: int) -> str:
    """Return the name of a drive by its number: sda … sdz, sdaa …, as Linux counts them."""
    letters = ""
    while number >= 0:
        number, letter = divmod(number, len(ascii_lowercase))
        letters = ascii_lowercase[letter] + letters
        number -= 1
    return f"sd{letters}"
