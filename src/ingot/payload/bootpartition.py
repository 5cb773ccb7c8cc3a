"""What a virtual CD starts under UEFI: a small FAT image with Debian's signed shim and GRUB.

Ironic puts it into every ISO that it makes for a host, beside a GRUB configuration of that host.
Debian's GRUB looks for its own configuration in EFI/debian of the image it came from; the one we
put there leads on to Ironic's.
"""

from __future__ import annotations

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.tree import EPOCH, unpack

__all__ = ["BOOT_PARTITION", "boot_partition"]

BOOT_PARTITION = "esp.img"
KIBIBYTES = 8192
"""Room for shim and GRUB, 4 MB together, and for larger ones to come."""

GRUB = """\
search --no-floppy --hint cd0 --file --set=root /EFI/BOOT/grub.cfg
configfile /EFI/BOOT/grub.cfg
"""
"""Ironic's `grub_config_path`; the hint keeps an installed disk with such a file out of it."""

FILES = {
    "/usr/lib/shim/shimx64.efi.signed": "EFI/BOOT/BOOTX64.EFI",
    "/usr/lib/shim/mmx64.efi.signed": "EFI/BOOT/mmx64.efi",
    "/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed": "EFI/BOOT/grubx64.efi",
    "/grub.cfg": "EFI/debian/grub.cfg",
}
FOLDERS = ("EFI", "EFI/BOOT", "EFI/debian")
DISK_BYTES = 1_000_000_000


def boot_partition(root: Recipe) -> Recipe:
    """Return the recipe of the image, made from and by the programs of a Debian root."""

    def build(workshop: Workshop) -> None:
        place = workshop.scratch / "root"
        unpack(workshop, workshop.need(root) / "root.tar", place)
        (place / "grub.cfg").write_text(GRUB, encoding="utf-8")
        image = f"/{BOOT_PARTITION}"

        def run(*command: str) -> None:
            workshop.run(
                "chroot", place, *command, env={"SOURCE_DATE_EPOCH": str(EPOCH), "TZ": "UTC"}
            )

        run("mkfs.vfat", "--invariant", "-n", "BOOT", "-C", image, str(KIBIBYTES))
        run("mmd", "-i", image, *(f"::{folder}" for folder in FOLDERS))
        for source, target in FILES.items():
            run("mcopy", "-i", image, source, f"::{target}")
        (place / BOOT_PARTITION).rename(workshop.out / BOOT_PARTITION)

    return Recipe(
        "virtual-media-boot",
        build,
        inputs={"grub": GRUB, "files": " ".join(FILES), "kibibytes": str(KIBIBYTES)},
        needs=(root,),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
    )
