"""A Debian root filesystem with chosen packages, as a tar.

The mirror is mmdebstrap's own choice, or INGOT_DEBIAN_MIRROR. Which versions went in is decided by
the mirror on the day of the build and recorded in `packages.txt`; the result is kept until it is
pruned, or asked for anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.tree import EPOCH
from ingot.errors import IngotError

__all__ = ["SUITE", "debian_root", "mirror_of"]

SUITE = "trixie"
PACKAGES_FILE = "packages.txt"
ROOT_FILE = "root.tar"

EXCLUDED = (
    "/usr/share/doc/*",
    "/usr/share/info/*",
    "/usr/share/lintian/*",
    "/usr/share/locale/*",
    "/usr/share/man/*",
)
"""What machines and containers never read."""


def debian_root(name: str, packages: Sequence[str], *, disk_bytes: int) -> Recipe:
    """Return the recipe of a root: `root.tar`, and `packages.txt` with each package's version."""
    mirror = os.environ.get("INGOT_DEBIAN_MIRROR", "")

    def build(workshop: Workshop) -> None:
        workshop.run(
            "mmdebstrap",
            "--verbose",
            "--mode=root",
            "--variant=minbase",
            '--aptopt=Apt::Install-Recommends "false"',
            *(f"--dpkgopt=path-exclude={pattern}" for pattern in EXCLUDED),
            f"--include={','.join(packages)}",
            f'--customize-hook=chroot "$1" dpkg-query --show > {workshop.out / PACKAGES_FILE}',
            SUITE,
            workshop.out / ROOT_FILE,
            *([mirror] if mirror else []),
            env={"SOURCE_DATE_EPOCH": str(EPOCH), "DEBIAN_FRONTEND": "noninteractive"},
        )

    return Recipe(
        name,
        build,
        inputs={"suite": SUITE, "packages": " ".join(sorted(packages)), "mirror": mirror},
        disk_bytes=disk_bytes,
        programs={"mmdebstrap": "mmdebstrap", "tar": "tar"},
        needs_root=True,
    )


def mirror_of(workshop: Workshop, root: Path) -> str:
    """Return the mirror that a root was made from, for fetching more from it."""
    listed = workshop.run(
        "tar", "--extract", "--to-stdout", "--file", root, "./etc/apt/sources.list"
    )
    for line in listed.splitlines():
        words = line.split()
        if words[:1] == ["deb"] and SUITE in words:
            return next(word for word in words[1:] if "://" in word or word.startswith("/"))
    raise IngotError(
        f"{root} does not say which mirror it was made from",
        remedy="set INGOT_DEBIAN_MIRROR to the address of a Debian mirror",
    )
