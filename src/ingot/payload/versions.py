"""The pinned versions, typed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Versions", "versions"]


@dataclass(frozen=True, slots=True)
class Versions:
    """What `versions.toml` pins."""

    go: str
    kubernetes: str
    kubernetes_modules: str
    etcd: str
    coredns: str
    cni_plugins: str
    containerd: str
    traefik: str
    ironic: str
    image_registry: str
    etcd_tag: str
    coredns_tag: str
    pause_tag: str


@cache
def versions() -> Versions:
    """Return the pinned versions."""
    table = tomllib.loads(files("ingot.payload").joinpath("versions.toml").read_text("utf-8"))
    images = table["images"]
    return Versions(
        go=table["go"]["version"],
        kubernetes=table["kubernetes"]["version"],
        kubernetes_modules=table["kubernetes"]["modules"],
        etcd=table["etcd"]["version"],
        coredns=table["coredns"]["version"],
        cni_plugins=table["cni-plugins"]["version"],
        containerd=table["containerd"]["version"],
        traefik=table["traefik"]["version"],
        ironic=table["ironic"]["version"],
        image_registry=images["registry"],
        etcd_tag=images["etcd"],
        coredns_tag=images["coredns"],
        pause_tag=images["pause"],
    )
