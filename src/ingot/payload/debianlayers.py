"""The Debian part of images: one base for all of them, and what each puts on top.

kube-proxy's tools are also those of the on-prem image, so that one is built on the other:

    base ── network ── onprem
      └──── metal3

A layer is the difference of two roots that were made alike, so what both have is stored once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe, digest_of
from ingot.debian.root import debian_root
from ingot.payload import layer

__all__ = ["DebianLayers", "base_root", "debian_layers", "metal3_root"]

BASE = ("ca-certificates", "python3")
NETWORK = ("conntrack", "iproute2", "iptables", "nftables")
ONPREM = ("haproxy", "keepalived", "procps")
METAL3 = (
    "dnsmasq-base",
    "dosfstools",  # FAT file systems, for virtual media
    "grub-efi-amd64-signed",  # what a virtual CD starts under UEFI
    "ipmitool",
    "iproute2",
    "ipxe",
    "isolinux",  # what a virtual CD starts under BIOS
    "mtools",
    "nginx",
    "procps",
    "qemu-utils",  # qemu-img
    "shim-signed",
    "sqlite3",
    "syslinux-common",
    "xorriso",
)

WITHOUT = (
    "boot/*",
    "dev/*",
    "etc/apt/sources.list",
    "etc/hostname",
    "etc/machine-id",
    "etc/resolv.conf",
    "proc/*",
    "run/*",
    "sys/*",
    "tmp/*",
    "usr/bin/qemu-io",
    "usr/bin/qemu-nbd",
    "usr/bin/qemu-storage-daemon",
    "usr/lib/grub/x86_64-efi/*",  # the signed one has its modules in it
    "usr/lib/ipxe/ipxe.iso",
    "usr/lib/x86_64-linux-gnu/perl/*",  # Perl's modules: 45 MB, there for one library
    "usr/share/bash-completion/*",
    "usr/share/bug/*",
    "usr/share/common-licenses/*",
    "usr/share/info/*",
    "usr/share/grub/*",
    "usr/share/icons/*",
    "usr/share/misc/pci.ids",
    "usr/share/perl/*",
    "usr/share/pixmaps/*",
    "usr/share/zsh/*",
    "var/cache/*",
    "var/lib/apt/*",
    "var/lib/dpkg/*-old",
    "var/lib/systemd/*",
    "var/log/*log",  # but not the folders that programs write theirs into
    "var/log/apt/*",
    "var/tmp/*",
)
"""What a container has from elsewhere, never reads, or would differ from build to build."""

Build = Callable[[Workshop], None]

ROOT = "root.tar"
LAYER = "{name}.tar"
BASE_BYTES = 600_000_000
FULL_BYTES = 1_500_000_000


class DebianLayers(NamedTuple):
    """Recipes of layers, each a folder with one tar named after it."""

    base: Recipe
    network: Recipe
    onprem: Recipe
    metal3: Recipe


@cache
def debian_layers() -> DebianLayers:
    """Return the recipes of all Debian layers."""
    base = base_root()
    network = _root("network", (*BASE, *NETWORK))
    onprem = _root("onprem", (*BASE, *NETWORK, *ONPREM))
    metal3 = metal3_root()
    return DebianLayers(
        base=_whole("base", base),
        network=_between("network", base, network),
        onprem=_between("onprem", network, onprem),
        metal3=_between("metal3", base, metal3),
    )


@cache
def base_root() -> Recipe:
    """Return the recipe of the root that every image but the static ones stands on."""
    return debian_root("container-base-root", BASE, disk_bytes=BASE_BYTES)


@cache
def metal3_root() -> Recipe:
    """Return the recipe of the root that has what Ironic calls."""
    return _root("metal3", (*BASE, *METAL3))


def _root(name: str, packages: Sequence[str]) -> Recipe:
    return debian_root(f"container-{name}-root", packages, disk_bytes=FULL_BYTES)


def _whole(name: str, root: Recipe) -> Recipe:
    def build(workshop: Workshop) -> None:
        layer.layer_of_tar(
            workshop.need(root) / ROOT, workshop.out / LAYER.format(name=name), without=WITHOUT
        )

    return _recipe(name, build, (root,))


def _between(name: str, below: Recipe, full: Recipe) -> Recipe:
    def build(workshop: Workshop) -> None:
        layer.layer_between(
            workshop.need(below) / ROOT,
            workshop.need(full) / ROOT,
            workshop.out / LAYER.format(name=name),
            without=WITHOUT,
        )

    return _recipe(name, build, (below, full))


def _recipe(name: str, build: Build, roots: tuple[Recipe, ...]) -> Recipe:
    return Recipe(
        f"container-{name}-layer",
        build,
        inputs={"without": " ".join(WITHOUT), "writer": digest_of(Path(layer.__file__))},
        needs=roots,
        disk_bytes=BASE_BYTES,
    )
