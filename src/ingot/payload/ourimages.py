"""Our own images: metal3, which drives servers, onprem, which keeps the VIPs, and Traefik.

The first two have Ingot in them, in the same layer, and stand on the same Debian as kube-proxy.
Traefik is ours by name only: its own image is not asked for, so that no registry is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingot import __version__
from ingot.payload.bootpartition import BOOT_PARTITION
from ingot.payload.imageparts import Shelf
from ingot.payload.kubeadmimages import COREDNS
from ingot.payload.layer import Symlink
from ingot.payload.oci import PATH, Image
from ingot.payload.versions import versions

__all__ = ["METAL3", "ONPREM", "TRAEFIK", "our_images"]

METAL3 = f"ingot.local/metal3:{__version__}"
ONPREM = f"ingot.local/onprem:{__version__}"
TRAEFIK = f"ingot.local/traefik:v{versions().traefik}"
SOURCE = "file:///opt/ingot/lib/ingot"
"""Python is its own source, so it is in the image itself."""
ENVIRONMENT = (PATH, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1")


def our_images(shelf: Shelf) -> Iterator[Image]:
    """Return the images."""
    pinned = versions()
    boot = shelf.workshop.need(shelf.parts.boot)
    yield Image(
        names=(METAL3,),
        title="metal3",
        version=__version__,
        source=SOURCE,
        origin=f"Debian 13, Ironic {pinned.ironic}, Ingot {__version__}",
        layers=(
            shelf.debian("base"),
            shelf.debian("metal3"),
            shelf.tree("ironic"),
            shelf.files(
                "virtual-media",
                {
                    "usr/bin/mkisofs": Symlink("xorrisofs"),  # what Ironic calls it
                    f"usr/share/ingot/{BOOT_PARTITION}": boot / BOOT_PARTITION,
                },
                mode=0o644,
            ),
            shelf.tree("ingot"),
        ),
        environment=ENVIRONMENT,
    )
    yield _traefik(shelf)
    yield Image(
        names=(ONPREM,),
        title="onprem",
        version=__version__,
        source=SOURCE,
        origin=f"Debian 13, CoreDNS {pinned.coredns}, Ingot {__version__}",
        layers=(
            shelf.debian("base"),
            shelf.debian("network"),
            shelf.debian("onprem"),
            shelf.programs("coredns", shelf.parts.coredns, {"coredns": COREDNS}),
            shelf.files("onprem-links", {"usr/bin/coredns": Symlink(f"/{COREDNS}")}, mode=0o755),
            shelf.tree("ingot"),
        ),
        environment=ENVIRONMENT,
    )


def _traefik(shelf: Shelf) -> Image:
    recipe, place = shelf.parts.traefik, "usr/local/bin/traefik"
    version = recipe.inputs["version"]
    return Image(
        names=(TRAEFIK,),
        title="traefik",
        version=f"v{version}",
        source="https://github.com/traefik/traefik",
        origin=f"Traefik {version}, {recipe.inputs['source']}",
        layers=(shelf.foundation(), shelf.programs("traefik", recipe, {"traefik": place})),
        entrypoint=(f"/{place}",),
    )
