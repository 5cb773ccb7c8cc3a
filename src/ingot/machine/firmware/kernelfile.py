"""What kind of program a file is: only a User-Mode Linux can run here."""

from __future__ import annotations

from pathlib import Path

from ingot.machine.firmware.target import NotBootable

__all__ = ["IPXE_MAGIC", "check_kernel", "is_script", "kind_of"]

ELF_MAGIC = b"\x7fELF"
IPXE_MAGIC = b"#!ipxe"
GZIP_MAGIC = b"\x1f\x8b"
ELF_PROGRAM_TYPES = (2, 3)
"""ET_EXEC and ET_DYN."""
BOOT_SECTOR_MAGIC_AT, BOOT_SECTOR_MAGIC = 0x202, b"HdrS"
"""Where Linux for PCs has its mark, by the x86 boot protocol."""


def kind_of(path: Path) -> str:
    """Return in a few words what a file is: `a program` is what can be started."""
    with path.open("rb") as file:
        head = file.read(1024)
    elf_kind = int.from_bytes(head[16:18], "little")
    kinds = {
        "empty": not head,
        "a program": head.startswith(ELF_MAGIC) and elf_kind in ELF_PROGRAM_TYPES,
        # Newer ones are programs for UEFI as well, so this comes first.
        "a kernel for PCs (bzImage)": head.startswith(BOOT_SECTOR_MAGIC, BOOT_SECTOR_MAGIC_AT),
        "an iPXE script": is_script(head),
        "a program for UEFI": head.startswith(b"MZ"),
        "compressed by gzip": head.startswith(GZIP_MAGIC),
        "a web page": head.lstrip().startswith(b"<"),
    }
    return next((kind for kind, fits in kinds.items() if fits), "of an unknown kind")


def is_script(content: bytes) -> bool:
    """Say whether this is the beginning of an iPXE script."""
    return content.startswith(IPXE_MAGIC)


def check_kernel(path: Path, called: str) -> None:
    """Check that a file can be started here.

    Args:
        path: the file.
        called: how whoever offered it calls it.

    Raises:
        NotBootable: saying what it is.
    """
    kind = kind_of(path)
    if kind != "a program":
        raise NotBootable(
            f"{called} is {kind}; this machine runs kernels of User-Mode Linux only",
            remedy="offer the lab kernel, with a ramdisk made for it",
        )
