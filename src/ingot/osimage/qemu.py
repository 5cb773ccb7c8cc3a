"""QEMU of Debian 13 with its firmware, beside whatever this machine has.

QEMU 7.2, which Debian 12 and others of its age have, emulates x86-64 wrongly for Linux 6.12 and
panics it. The tree here has its own C library and loader, so it runs on any x86-64 Linux, and it
is run like any program: files are those of this machine.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.root import ROOT_FILE, debian_root
from ingot.debian.tree import unpack

__all__ = [
    "PROGRAM",
    "SECURE_CODE",
    "SECURE_VARIABLES",
    "UEFI_CODE",
    "UEFI_VARIABLES",
    "qemu_tree",
]

PROGRAM = "qemu-system-x86_64"
UEFI_CODE = "tree/usr/share/OVMF/OVMF_CODE_4M.fd"
SECURE_CODE = "tree/usr/share/OVMF/OVMF_CODE_4M.secboot.fd"
UEFI_VARIABLES = "tree/usr/share/OVMF/OVMF_VARS_4M.fd"
SECURE_VARIABLES = "tree/usr/share/OVMF/OVMF_VARS_4M.ms.fd"
"""Variables are to be copied for each machine, which writes to them."""

PACKAGES = ("ipxe-qemu", "ovmf", "qemu-system-x86", "seabios")
PROGRAMS = ("usr/bin/qemu-system-x86_64",)
FIRMWARE = ("usr/share/OVMF", "usr/share/qemu", "usr/share/seabios")
LOADER = "usr/lib64/ld-linux-x86-64.so.2"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
DISK_BYTES = 2_000_000_000

SCRIPT = f"""\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/tree
exec "$here/{LOADER}" --library-path "$here/{LIBRARIES}" "$here/{PROGRAMS[0]}" \\
    -L "$here/usr/share/qemu" -L "$here/usr/share/seabios" "$@"
"""


def qemu_tree() -> Recipe:
    """Return the recipe of `qemu-system-x86_64`, and the `tree` that it stands on."""
    debian = debian_root("qemu-debian", PACKAGES, disk_bytes=DISK_BYTES)

    def build(workshop: Workshop) -> None:
        root = workshop.scratch / "root"
        unpack(workshop, workshop.need(debian) / ROOT_FILE, root)
        tree = workshop.out / "tree"
        for name in FIRMWARE:
            shutil.copytree(root / name, tree / name, ignore_dangling_symlinks=True)
        for name in (*PROGRAMS, LOADER):
            _copy(root / name, tree / name)
        for program in PROGRAMS:
            for library in _libraries(workshop.run("chroot", root, "ldd", f"/{program}")):
                _copy(root / LIBRARIES / library, tree / LIBRARIES / library)
        script = workshop.out / PROGRAM
        script.write_text(SCRIPT, encoding="utf-8")
        script.chmod(0o755)

    return Recipe(
        "qemu",
        build,
        inputs={"script": SCRIPT, "firmware": " ".join(FIRMWARE)},
        needs=(debian,),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
    )


def _libraries(told: str) -> Iterator[str]:
    """Return the libraries named by ldd: `libz.so.1 => /usr/lib/…/libz.so.1 (0x…)`."""
    for line in told.splitlines():
        name, arrow, _ = line.strip().partition(" => ")
        if arrow:
            yield name


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
