"""The agent ramdisk as a bootable ISO, for virtual media; UEFI, also with Secure Boot, and BIOS.

The layout is that of the ISOs which Ironic makes for each host, so one reader does for both:

    /vmlinuz, /initrd          the kernel and the ramdisk
    /EFI/BOOT/grub.cfg         arguments: of the first line that starts with `linux`, what follows
                               the kernel's name, up to `--`
    /boot/grub/efiboot.img     a FAT image with shim and GRUB: what UEFI starts
    /isolinux/                 the same for BIOS; arguments after `append`

Without arguments of its own for a host, the agent looks for parameters on a second medium labelled
`ir-vfd-dev`, as Ironic writes it, and else finds Ironic by mDNS.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.root import ROOT_FILE
from ingot.debian.tree import EPOCH, unpack
from ingot.osimage.ramdisk import INITRD, KERNEL, ramdisk
from ingot.payload.bootpartition import BOOT_PARTITION, boot_partition
from ingot.payload.debianlayers import metal3_root

__all__ = ["ARGUMENTS", "ISO", "agent_iso"]

ISO = "agent.iso"
VOLUME = "INGOT_AGENT"
"""Not `VMEDIA_BOOT_ISO` or `config-2`: this one holds no configuration that the agent may look for.
"""

ARGUMENTS = "boot_method=vmedia ipa-api-url=mdns console=tty0 console=ttyS0,115200n8"

GRUB = """\
set default=0
set timeout=1

menuentry "agent" {{
linux /vmlinuz {arguments} --
initrd /initrd
}}
"""

ISOLINUX = """\
default agent
prompt 0

label agent
kernel /vmlinuz
append initrd=/initrd {arguments} --
"""

LOADERS = {
    "usr/lib/ISOLINUX/isolinux.bin": "isolinux/isolinux.bin",
    "usr/lib/syslinux/modules/bios/ldlinux.c32": "isolinux/ldlinux.c32",
}
DISK_BYTES = 2_000_000_000


def agent_iso() -> Recipe:
    """Return the recipe of `agent.iso`."""
    agent, tools = ramdisk(), metal3_root()
    partition = boot_partition(tools)

    def build(workshop: Workshop) -> None:
        place = workshop.scratch / "root"
        unpack(workshop, workshop.need(tools) / ROOT_FILE, place)
        tree = place / "iso"
        contents = {
            workshop.need(agent) / KERNEL: "vmlinuz",
            workshop.need(agent) / INITRD: "initrd",
            workshop.need(partition) / BOOT_PARTITION: "boot/grub/efiboot.img",
            **{place / source: target for source, target in LOADERS.items()},
        }
        for source, target in contents.items():
            (tree / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, tree / target)
        _write(tree / "EFI/BOOT/grub.cfg", GRUB.format(arguments=ARGUMENTS))
        _write(tree / "isolinux/isolinux.cfg", ISOLINUX.format(arguments=ARGUMENTS))
        for path in (tree, *tree.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
            os.utime(path, (EPOCH, EPOCH))
        workshop.run(
            "chroot", place, "xorriso", "-as", "mkisofs", "-quiet",
            "-rational-rock", "-full-iso9660-filenames", "-volid", VOLUME,
            "-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat",
            "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table",
            "-eltorito-alt-boot", "-e", "boot/grub/efiboot.img", "-no-emul-boot",
            "-o", f"/{ISO}", "/iso",
            env={"SOURCE_DATE_EPOCH": str(EPOCH), "TZ": "UTC"},
        )  # fmt: skip
        (place / ISO).rename(workshop.out / ISO)

    return Recipe(
        "agent-iso",
        build,
        inputs={"grub": GRUB, "isolinux": ISOLINUX, "arguments": ARGUMENTS, "volume": VOLUME},
        needs=(agent, tools, partition),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
