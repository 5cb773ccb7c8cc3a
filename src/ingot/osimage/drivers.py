"""Which kernel modules and which firmware a server needs to be inspected, cleaned and written.

Disks and network cards of any kind, and what stands between: of Debian's 100 MB of modules a third.
Modules are chosen by folder; whatever a chosen module depends on comes with it. Firmware is chosen
by what the modules themselves name.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.package import fetch_package
from ingot.debian.root import ROOT_FILE, SUITE, mirror_of
from ingot.debian.tree import pack, unpack
from ingot.osimage.agentroot import agent_root, chroot
from ingot.osimage.flavours import metal_kernel

__all__ = ["KERNEL", "TREE", "chosen_modules", "metal_drivers", "read_dependencies"]

KERNEL = "vmlinuz"
TREE = "drivers.tar"
DISK_BYTES = 2_000_000_000

CHOSEN = (
    # disks
    "drivers/ata", "drivers/block", "drivers/cdrom", "drivers/md", "drivers/message/fusion",
    "drivers/nvme/host", "drivers/nvdimm", "drivers/scsi", "drivers/pci/controller/vmd.ko",
    "drivers/usb/storage", "drivers/mmc",
    # file systems of disks and virtual media
    "fs/efivarfs", "fs/ext4", "fs/fat", "fs/isofs", "fs/nls/nls_ascii.ko", "fs/nls/nls_cp437.ko",
    "fs/nls/nls_iso8859-1.ko", "fs/nls/nls_utf8.ko", "fs/udf", "fs/xfs", "fs/overlayfs",
    "fs/squashfs",
    # network cards, also those that a BMC shows on USB, and what is put on top of them
    "drivers/net/bonding", "drivers/net/ethernet", "drivers/net/hyperv", "drivers/net/mdio",
    "drivers/net/net_failover.ko", "drivers/net/phy", "drivers/net/usb/cdc_ether.ko",
    "drivers/net/usb/cdc_ncm.ko", "drivers/net/usb/rndis_host.ko", "drivers/net/virtio_net.ko",
    "drivers/net/vmxnet3", "drivers/net/xen-netfront.ko", "net/8021q", "net/packet",
    # buses
    "drivers/hv", "drivers/usb/host", "drivers/virtio", "drivers/input/serio",
    # the BMC, the clock, a keyboard
    "drivers/char/hw_random", "drivers/char/ipmi", "drivers/firmware/dmi-sysfs.ko",
    "drivers/hid/hid-generic.ko", "drivers/hid/usbhid", "drivers/rtc",
    # checksums and ciphers that the above ask for by name
    "arch/x86/crypto", "crypto", "lib",
)  # fmt: skip

LEFT_OUT = (
    "drivers/ata/pata_", "drivers/block/drbd", "drivers/block/rnbd", "drivers/md/bcache",
    "drivers/md/dm-vdo", "drivers/net/ethernet/netronome", "drivers/scsi/pcmcia",
    "drivers/net/ethernet/mellanox/mlxsw", "drivers/scsi/bfa", "drivers/scsi/fcoe",
)  # fmt: skip
"""Of the chosen folders: large or long gone, and not what servers have their disk or card on."""

FIRMWARE = (
    "firmware-bnx2", "firmware-bnx2x", "firmware-cavium", "firmware-intel-misc",
    "firmware-misc-nonfree", "firmware-qlogic", "firmware-realtek",
)  # fmt: skip
"""Packages of Debian's `non-free-firmware` in which firmware of the chosen modules is found."""

BLOBS = Path("usr/lib/firmware")


def metal_drivers() -> Recipe:
    """Return the recipe of Debian's `vmlinuz` and of `drivers.tar` for it."""
    kernel, root = metal_kernel(), agent_root()

    def build(workshop: Workshop) -> None:
        debian = workshop.scratch / "debian"
        unpack(workshop, workshop.need(kernel) / ROOT_FILE, debian)
        (image,) = (debian / "boot").glob("vmlinuz-*")
        shutil.copyfile(image, workshop.out / KERNEL)
        release = image.name.removeprefix("vmlinuz-")
        # The agent's root has the programs that read modules, whatever this machine has.
        place = workshop.scratch / "root"
        unpack(workshop, workshop.need(root) / ROOT_FILE, place)
        names = _copy_modules(debian, place, release)
        chroot(workshop, place, "depmod", release)
        mirror = mirror_of(workshop, workshop.need(kernel) / ROOT_FILE)
        for name in FIRMWARE:
            package = fetch_package(
                workshop, name, suite=SUITE, mirror=mirror, component="non-free-firmware"
            )
            workshop.run("dpkg-deb", "--extract", package, debian)
            package.unlink()
        modules = [f"/usr/lib/modules/{release}/{name}" for name in names]
        wanted = chroot(workshop, place, "modinfo", "--field", "firmware", *modules).split()
        tree = workshop.scratch / "tree"
        (tree / "usr/lib/modules").mkdir(parents=True)
        (place / "usr/lib/modules" / release).rename(tree / "usr/lib/modules" / release)
        _copy_firmware(debian, tree, wanted)
        pack(workshop, tree, workshop.out / TREE)

    return Recipe(
        "metal-drivers",
        build,
        inputs={
            "chosen": " ".join(CHOSEN),
            "left-out": " ".join(LEFT_OUT),
            "firmware": " ".join(FIRMWARE),
        },
        needs=(kernel, root),
        disk_bytes=DISK_BYTES,
        programs={"apt-get": "apt", "chroot": "coreutils", "dpkg-deb": "dpkg", "tar": "tar"},
    )


def read_dependencies(text: str) -> dict[str, tuple[str, ...]]:
    """Read a `modules.dep`: each module with those it needs, as paths below the kernel's folder."""
    lines = (line.partition(":") for line in text.splitlines() if line)
    return {name: tuple(needed.split()) for name, _, needed in lines}


def chosen_modules(
    dependencies: Mapping[str, Iterable[str]],
    *,
    chosen: Iterable[str] = CHOSEN,
    left_out: Iterable[str] = LEFT_OUT,
) -> list[str]:
    """Return the modules below the chosen paths, and everything that they depend on."""
    wanted = tuple(f"kernel/{path}{'' if path.endswith('.ko') else '/'}" for path in chosen)
    unwanted = tuple(f"kernel/{path}" for path in left_out)
    found: set[str] = set()
    for name, needed in dependencies.items():
        if name.startswith(wanted) and not name.startswith(unwanted):
            found |= {name, *needed}
    return sorted(found)


def _copy_modules(debian: Path, root: Path, release: str) -> list[str]:
    source = debian / "usr/lib/modules" / release
    target = root / "usr/lib/modules" / release
    target.mkdir(parents=True)
    names = chosen_modules(read_dependencies((source / "modules.dep").read_text("utf-8")))
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    for index in source.glob("modules.*"):
        if index.name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
            shutil.copyfile(index, target / index.name)
    return names


def _copy_firmware(debian: Path, tree: Path, wanted: Iterable[str]) -> None:
    for name in sorted(set(wanted)):
        # A name may hold a pattern; a file may be a link to its newest version.
        for path in sorted((debian / BLOBS).glob(name)):
            for file in (path, path.resolve()):
                if not (file.is_file() and file.is_relative_to(debian)):
                    continue
                target = tree / file.relative_to(debian)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target, follow_symlinks=False)
