"""The images that kubeadm asks for, under the names it asks for.

A Go program needs nothing but itself and the few files its libraries look for. kube-proxy calls
nft, iptables and conntrack, so it stands on Debian. kubeadm gives every program its command, by
name; only pause and CoreDNS are started by their image's entry point.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingot.artefact.recipe import Recipe
from ingot.payload.imageparts import Shelf
from ingot.payload.layer import Layer
from ingot.payload.oci import Image
from ingot.payload.versions import versions

__all__ = ["COREDNS", "kubeadm_images"]

STATIC = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
COREDNS = "coredns"
"""Where CoreDNS is in its image, as upstream has it."""
PAUSE_USER = "65535:65535"
"""Upstream's: pause needs no rights at all."""


def kubeadm_images(shelf: Shelf) -> Iterator[Image]:
    """Return the images."""
    pinned = versions()
    registry = pinned.image_registry
    kubernetes = shelf.parts.kubernetes
    release = f"v{pinned.kubernetes}"

    def of_kubernetes(program: str, *below: Layer) -> Image:
        binary = shelf.programs(program, kubernetes, {program: f"usr/local/bin/{program}"})
        return Image(
            names=(f"{registry}/{program}:{release}",),
            title=program,
            version=release,
            source="https://github.com/kubernetes/kubernetes",
            origin=_origin("Kubernetes", kubernetes),
            layers=(*below, binary),
        )

    for program in STATIC:
        yield of_kubernetes(program, shelf.foundation())
    yield of_kubernetes("kube-proxy", shelf.debian("base"), shelf.debian("network"))
    yield Image(
        names=(f"{registry}/etcd:{pinned.etcd_tag}",),
        title="etcd",
        version=f"v{pinned.etcd}",
        source="https://github.com/etcd-io/etcd",
        origin=_origin("etcd", shelf.parts.etcd),
        layers=(
            shelf.foundation(),
            shelf.programs(
                "etcd",
                shelf.parts.etcd,
                {name: f"usr/local/bin/{name}" for name in ("etcd", "etcdctl", "etcdutl")},
            ),
        ),
    )
    yield Image(
        names=(f"{registry}/coredns/coredns:{pinned.coredns_tag}",),
        title="coredns",
        version=f"v{pinned.coredns}",
        source="https://github.com/coredns/coredns",
        origin=_origin("CoreDNS", shelf.parts.coredns),
        layers=(
            shelf.foundation(),
            shelf.programs("coredns", shelf.parts.coredns, {"coredns": COREDNS}),
        ),
        entrypoint=(f"/{COREDNS}",),
    )
    yield Image(
        names=(f"{registry}/pause:{pinned.pause_tag}",),
        title="pause",
        version=pinned.pause_tag,
        source="https://github.com/kubernetes/kubernetes",
        origin=_origin("Kubernetes", kubernetes),
        layers=(shelf.programs("pause", kubernetes, {"pause": "pause"}),),
        entrypoint=("/pause",),
        user=PAUSE_USER,
    )


def _origin(project: str, recipe: Recipe) -> str:
    return f"{project} {recipe.inputs['version']}, {recipe.inputs['source']}"
