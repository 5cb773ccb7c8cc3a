"""What images are put together from: recipes while planning, layers while building.

A layer that several images use is written once, by whoever asks first.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.payload.binaries import coredns, etcd, kubernetes, traefik
from ingot.payload.bootpartition import boot_partition
from ingot.payload.debianlayers import DebianLayers, base_root, debian_layers, metal3_root
from ingot.payload.layer import Layer, Symlink, layer_of_files, layer_of_tar
from ingot.payload.pythontree import TREE, ingot_tree, ironic_tree
from ingot.payload.source import Source

__all__ = ["ImageParts", "Shelf"]

CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"


@dataclass(frozen=True, slots=True)
class ImageParts:
    """The recipes that images need."""

    kubernetes: Recipe
    etcd: Recipe
    coredns: Recipe
    traefik: Recipe
    base_root: Recipe
    debian: DebianLayers
    ingot: Recipe
    ironic: Recipe
    boot: Recipe

    @classmethod
    def planned(cls, source: Source) -> ImageParts:
        """Return the recipes, with binaries from a chosen source."""
        return cls(
            kubernetes=kubernetes(source),
            etcd=etcd(source),
            coredns=coredns(source),
            traefik=traefik(source),
            base_root=base_root(),
            debian=debian_layers(),
            ingot=ingot_tree(),
            ironic=ironic_tree(),
            boot=boot_partition(metal3_root()),
        )

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """All of them."""
        return (
            self.kubernetes,
            self.etcd,
            self.coredns,
            self.traefik,
            self.base_root,
            *self.debian,
            self.ingot,
            self.ironic,
            self.boot,
        )

    def made(self, workshop: Workshop) -> Shelf:
        """Return the parts as layers, now that every recipe has been built."""
        return Shelf(self, workshop)


@dataclass(slots=True)
class Shelf:
    """Layers, written when they are first asked for."""

    parts: ImageParts
    workshop: Workshop
    _layers: dict[str, Layer] = field(default_factory=dict)

    def debian(self, name: str) -> Layer:
        """Return one of the Debian layers."""
        recipe: Recipe = getattr(self.parts.debian, name)
        return self._kept(name, lambda: Layer.at(self.workshop.need(recipe) / f"{name}.tar"))

    def tree(self, name: str) -> Layer:
        """Return a Python tree as a layer."""
        recipe = {"ingot": self.parts.ingot, "ironic": self.parts.ironic}[name]
        tar = self.workshop.need(recipe) / TREE
        return self._kept(name, lambda: layer_of_tar(tar, self._place(name)))

    def programs(self, name: str, recipe: Recipe, places: Mapping[str, str]) -> Layer:
        """Return a layer with programs of a recipe, each with its path in the image."""
        folder = self.workshop.need(recipe)
        files = {place: folder / program for program, place in places.items()}
        return self._kept(name, lambda: layer_of_files(files, self._place(name)))

    def files(self, name: str, files: Mapping[str, Path | bytes | Symlink], *, mode: int) -> Layer:
        """Return a layer with files of our own."""
        return self._kept(name, lambda: layer_of_files(files, self._place(name), mode=mode))

    def foundation(self) -> Layer:
        """Return what a static program still looks for: users, certificates, a place for files."""
        with tarfile.open(self.workshop.need(self.parts.base_root) / "root.tar") as root:
            bundle = root.extractfile(f"./{CERTIFICATES}")
            certificates = bundle.read() if bundle else b""
        files = {
            CERTIFICATES: certificates,
            "etc/group": b"root:x:0:\nnobody:x:65534:\n",
            "etc/nsswitch.conf": b"hosts: files dns\n",
            "etc/passwd": b"root:x:0:0:root:/:/nologin\nnobody:x:65534:65534:nobody:/:/nologin\n",
        }
        return self._kept(
            "foundation",
            lambda: layer_of_files(
                files, self._place("foundation"), mode=0o644, folders={"tmp": 0o1777}
            ),
        )

    def _place(self, name: str) -> Path:
        return self.workshop.scratch / f"{name}.tar"

    def _kept(self, name: str, write: Callable[[], Layer]) -> Layer:
        if name not in self._layers:
            self.workshop.say(f"layer {name}")
            self._layers[name] = write()
        return self._layers[name]
