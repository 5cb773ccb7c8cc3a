"""The lab kernel: User-Mode Linux with everything a Kubernetes node needs built in.

Debian's own User-Mode Linux package was rejected: it lacks the IPv4 and IPv6 families of nftables,
without which there is no kube-proxy and no NAT, and its modules would have to be in every image.
So the kernel is built from Debian's kernel source, with the fragment `uml.config`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.package import fetch_package
from ingot.debian.root import debian_root, mirror_of
from ingot.debian.tree import EPOCH
from ingot.errors import ExitCode, IngotError

__all__ = ["OptionsRefused", "lab_kernel", "refused_options"]

SOURCE = "linux-source-7.2"
SOURCE_SUITE = "sid"

REPRODUCIBLE = {
    "KBUILD_BUILD_TIMESTAMP": datetime.fromtimestamp(EPOCH, UTC).strftime("%a %b %e %T %Z %Y"),
    "KBUILD_BUILD_USER": "ingot",
    "KBUILD_BUILD_HOST": "ingot",
    "KBUILD_BUILD_VERSION": "1",
}


class OptionsRefused(IngotError):  # noqa: N818 - it says what happened
    """The kernel's configuration did not take what the fragment asks for."""

    exit_code = ExitCode.INFRASTRUCTURE


def lab_kernel() -> Recipe:
    """Return the recipe of the lab kernel: `linux`, its `config` and its `version`."""
    fragment = files("ingot.osimage").joinpath("uml.config").read_text("utf-8")
    mirror = debian_root("debian-mirror", ["ca-certificates"], disk_bytes=500_000_000)

    def build(workshop: Workshop) -> None:
        root = workshop.need(mirror) / "root.tar"
        source = _unpack_source(workshop, mirror_of(workshop, root))
        _configure(workshop, source, fragment)
        workshop.run("make", "ARCH=um", f"-j{_jobs()}", "linux", cwd=source, env=REPRODUCIBLE)
        workshop.run("strip", "--strip-debug", source / "linux", "-o", workshop.out / "linux")
        (source / ".config").rename(workshop.out / "config")
        release = workshop.run("make", "--silent", "ARCH=um", "kernelrelease", cwd=source)
        (workshop.out / "version").write_text(release, encoding="utf-8")

    return Recipe(
        "lab-kernel",
        build,
        inputs={"source": f"{SOURCE} of {SOURCE_SUITE}", "fragment": fragment},
        needs=(mirror,),
        disk_bytes=4_000_000_000,
        programs={
            "apt-get": "apt",
            "bc": "bc",
            "bison": "bison",
            "dpkg-deb": "dpkg",
            "flex": "flex",
            "gcc": "gcc",
            "make": "make",
            "strip": "binutils",
            "xz": "xz-utils",
        },
    )


def _unpack_source(workshop: Workshop, mirror: str) -> Path:
    package = fetch_package(workshop, SOURCE, suite=SOURCE_SUITE, mirror=mirror)
    workshop.run("dpkg-deb", "--extract", package, workshop.scratch / "package")
    archive = workshop.scratch / "package/usr/src" / f"{SOURCE}.tar.xz"
    workshop.say(f"unpacking {archive.name}")
    workshop.run("tar", "--extract", "--file", archive, "--directory", workshop.scratch)
    return workshop.scratch / SOURCE


def _configure(workshop: Workshop, source: Path, fragment: str) -> None:
    config = source / ".config"
    workshop.run("make", "ARCH=um", "defconfig", cwd=source)
    # Where an option is set twice, the kernel's own tools take the last.
    with config.open("a", encoding="utf-8") as file:
        file.write(fragment)
    workshop.run("make", "ARCH=um", "olddefconfig", cwd=source)
    if refused := list(refused_options(fragment, config.read_text("utf-8"))):
        raise OptionsRefused(
            f"{SOURCE} does not take {', '.join(refused)}",
            remedy="add what these options depend on to src/ingot/osimage/uml.config, "
            "or take them out",
        )


def refused_options(fragment: str, config: str) -> Iterator[str]:
    """Return the lines of a fragment that a finished configuration does not follow."""
    lines = set(config.splitlines())
    names = {line.partition("=")[0] for line in lines}
    for line in fragment.splitlines():
        words = line.split()
        if line.startswith("CONFIG_"):
            if line not in lines:
                yield line
        elif words[2:] == ["is", "not", "set"] and words[1] in names:
            yield line


def _jobs() -> int:
    return len(os.sched_getaffinity(0))
