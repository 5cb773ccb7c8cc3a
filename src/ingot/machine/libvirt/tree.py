"""libvirt and QEMU of Debian 13 with their firmware, as a tree of files beside this machine's own.

QEMU comes along instead of being shared with what tests run by hand, because libvirt starts it by
its path in the tree, with the tree's own C library.
"""

from __future__ import annotations

import shutil

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.root import ROOT_FILE, debian_root
from ingot.debian.tree import unpack

__all__ = ["TREE", "libvirt_tree"]

TREE = "tree"

PACKAGES = (
    "ipxe-qemu",
    "libvirt-clients",
    "libvirt-daemon",
    "libvirt-daemon-driver-qemu",
    "libvirt-daemon-driver-storage",
    "ovmf",
    "qemu-system-x86",
    "seabios",
)
USED = ("etc", "usr")
UNUSED = (
    "usr/bin/qemu-system-i386",  # libvirt asks every QEMU what it can do, for seconds each.
    "usr/include",
    "usr/share/icons",
)
DISK_BYTES = 2_500_000_000


def libvirt_tree() -> Recipe:
    """Return the recipe of `tree`, for `LibvirtService`."""
    debian = debian_root("libvirt-debian", PACKAGES, disk_bytes=DISK_BYTES)

    def build(workshop: Workshop) -> None:
        root = workshop.scratch / "root"
        unpack(workshop, workshop.need(debian) / ROOT_FILE, root)
        for name in UNUSED:
            workshop.run("rm", "-rf", root / name)
        for name in USED:
            shutil.move(root / name, workshop.out / TREE / name)

    return Recipe(
        "libvirt",
        build,
        inputs={"used": " ".join(USED), "unused": " ".join(UNUSED)},
        needs=(debian,),
        disk_bytes=DISK_BYTES,
        programs={"tar": "tar"},
        needs_root=True,
    )
