"""What a libvirt host can run: with the processor's help, or by emulation.

That there is KVM does not mean that it works. Within other virtual machines it has been seen to
refuse what the processor claims to have, and to give up in the middle of UEFI. So it is tried:
firmware that runs for two seconds has done everything that is unusual about it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from xml.sax.saxutils import escape

from ingot.machine.libvirt.refusal import EmulatorMissing, LibvirtRefused
from ingot.machine.libvirt.virsh import Virsh

__all__ = ["TRIAL", "Accelerator", "Platform", "platform_of"]

ARCHITECTURE = "x86_64"
TRIAL_SECONDS = 2
TRIAL = "_trial"
"""What the machine of a trial is called: no machine can be, for it is not a DNS label."""


class Accelerator(StrEnum):
    """What executes a machine's instructions; the values are libvirt's domain types."""

    KVM = "kvm"
    EMULATION = "qemu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What domains are made for.

    Attributes:
        emulator: the path of QEMU where libvirt runs.
    """

    accelerator: Accelerator
    emulator: str

    @property
    def cpu(self) -> str:
        """The processor that machines see, as XML."""
        if self.accelerator is Accelerator.EMULATION:
            return "<cpu mode='maximum'/>"
        # Within another virtual machine, this feature can be there and yet be refused.
        return (
            "<cpu mode='host-passthrough'>"
            "<feature policy='disable' name='arch-capabilities'/></cpu>"
        )


def platform_of(
    virsh: Virsh, folder: PurePosixPath, *, emulator: str | None, accelerator: Accelerator | None
) -> Platform:
    """Return what a libvirt host has, or what was chosen of it.

    Args:
        virsh: the connection.
        folder: where a trial may leave a file that begins with its name.
        emulator: the QEMU to use; libvirt's own choice without.
        accelerator: what to use; KVM where it works without.

    Raises:
        LibvirtRefused: not even emulation works, for one of many reasons.
    """
    found = emulator or _emulator(virsh)
    if accelerator is not None:
        return Platform(accelerator=accelerator, emulator=found)
    best = Platform(accelerator=Accelerator.KVM, emulator=found)
    try:
        if _state(virsh, best, folder).startswith("running"):
            return best
    except LibvirtRefused:
        pass  # There is no KVM, or another reason, which then shows again.
    plain = Platform(accelerator=Accelerator.EMULATION, emulator=found)
    _state(virsh, plain, folder)
    return plain


def _emulator(virsh: Virsh) -> str:
    """Return libvirt's own choice of QEMU."""
    for guest in virsh.xml("capabilities").iterfind("guest/arch"):
        if guest.get("name") == ARCHITECTURE and (found := guest.findtext("emulator")):
            return found
    raise EmulatorMissing(
        f"{virsh.uri} has no QEMU for {ARCHITECTURE}",
        remedy="install qemu-system-x86 where libvirt runs, then restart libvirt",
    )


def _state(virsh: Virsh, platform: Platform, folder: PurePosixPath) -> str:
    """Return what a machine does after a moment; it is gone when virsh ends."""
    name = f"ingot-{TRIAL}-{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    domain = f"""\
<domain type='{platform.accelerator}'>
  <name>{name}</name>
  <memory unit='MiB'>128</memory>
  <vcpu>1</vcpu>
  <os firmware='efi'>
    <type arch='{ARCHITECTURE}' machine='q35'>hvm</type>
    <firmware>
      <feature enabled='no' name='enrolled-keys'/>
      <feature enabled='no' name='secure-boot'/>
    </firmware>
    <nvram>{escape(str(folder / TRIAL))}</nvram>
  </os>
  <features><acpi/><apic/></features>
  {platform.cpu}
  <devices>
    <emulator>{escape(platform.emulator)}</emulator>
    <controller type='usb' model='none'/>
    <serial type='pty'/>
    <memballoon model='none'/>
  </devices>
</domain>
"""
    # One call of virsh, because the machine lives as long as the connection it was made by.
    script = ["create /dev/stdin --autodestroy", f"domstate {name}"]
    if platform.accelerator is Accelerator.KVM:
        script.insert(1, f"event --domain {name} --event lifecycle --timeout {TRIAL_SECONDS}")
    return virsh("; ".join(script), stdin=domain).strip().splitlines()[-1]
