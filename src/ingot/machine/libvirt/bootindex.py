"""The boot order of a running machine, as its firmware will find it when it starts over.

QEMU hands the order to the firmware anew at each reset, and lets it be changed in between. libvirt
has no call for that, so QEMU is told through libvirt's door to its monitor. Whatever is changed
here counts from the next reset on, whether we or the guest bring it about, and is lost when the
machine is powered off: the next start has the order of the definition.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ingot.machine.libvirt.refusal import LibvirtRefused
from ingot.machine.libvirt.virsh import Virsh

__all__ = ["order_devices"]

UNUSED = -1


def order_devices(virsh: Virsh, domain: str, devices: Sequence[str], known: Sequence[str]) -> None:
    """Tell QEMU which devices to boot from at the next reset, one after the other.

    Args:
        virsh: the connection.
        domain: the running domain.
        devices: what is to boot.
        known: every device that might.
    """
    # QEMU refuses a number that is in use, so all are taken away first.
    for device in known:
        _set(virsh, domain, device, UNUSED)
    for number, device in enumerate(devices, start=1):
        _set(virsh, domain, device, number)


def _set(virsh: Virsh, domain: str, device: str, number: int) -> None:
    told = {"path": f"/machine/peripheral/{device}", "property": "bootindex", "value": number}
    answer = virsh(
        "qemu-monitor-command", domain, json.dumps({"execute": "qom-set", "arguments": told})
    )
    if "error" in json.loads(answer):
        raise LibvirtRefused(
            f"QEMU does not take the boot order of {domain}: {answer.strip()}",
            remedy="power the machine off and on, which needs no change while it runs",
        )
