"""Which files are which part of a boot, as Ironic and iPXE name them.

A host of Ironic's `ipxe` boot interface fetches, in this order::

    undionly.kpxe, or snponly-x86_64.efi        iPXE itself, by TFTP
    /boot.ipxe                                  where its script is, by HTTP from here on
    /pxelinux.cfg/52-54-00-b1-00-00             its script
    /6e1dcb10-…/deploy_kernel, …/deploy_ramdisk the agent

What no node is known for gets `inspector.ipxe`, which names the images directly.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from ingot.metal3.operator.boots.sign import Mac, SignKind, read_mac

__all__ = ["mac_in", "part_of_boot"]

_LOADERS: Final = frozenset({".efi", ".ipxe", ".kpxe", ".pxe", ".0"})
_KERNEL: Final = re.compile(r"(?:.*[._-])?(?:kernel|vmlinuz)")
_SCRIPTS: Final = "pxelinux.cfg"
_ETHERNET: Final = "01-"
"""Before a MAC address in the name of a script, as PXELINUX has it."""


def part_of_boot(path: str) -> SignKind | None:
    """Return what it means that a file was fetched; None when it is no part of a boot."""
    name = PurePosixPath(path)
    if _KERNEL.fullmatch(name.name):
        return SignKind.KERNEL
    if name.suffix in _LOADERS or name.parent.name == _SCRIPTS:
        return SignKind.BOOT_FILE
    return None


def mac_in(path: str) -> Mac | None:
    """Return whose script a file is."""
    name = PurePosixPath(path)
    if name.parent.name != _SCRIPTS:
        return None
    return read_mac(name.name.removeprefix(_ETHERNET).replace("-", ":"))
