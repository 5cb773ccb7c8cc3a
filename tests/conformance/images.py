"""The images that pods of the wanted tests run, in one archive, under the names the suite says.

They stand on the Debian layer of the payload's own images, which nodes have already, with the tools
that tests run by `exec` on top. Tests that replace an image by another take `agnhost` of two
versions. Both names have the same program here: that a name changed is what those tests look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe, digest_of
from ingot.debian.root import debian_root
from ingot.payload import layer, oci
from ingot.payload.debianlayers import BASE, WITHOUT, base_root, debian_layers
from ingot.payload.golang import architecture
from ingot.payload.layer import Layer, Symlink, layer_between, layer_of_files
from ingot.payload.oci import Image, write_archive
from tests.conformance.suite import AGNHOST, CERTIFICATES, SUITE, suite

__all__ = ["ARCHIVE", "RESOLVER", "images", "names_in"]

ARCHIVE = "images.tar"
REGISTRY = "registry.k8s.io/e2e-test-images"
RESOLVER = "glibc-dns-testing"
"""An image that resolves names as programs with the GNU C library do."""

TOOLS = ("bind9-dnsutils", "curl", "iproute2", "netcat-openbsd")
LAUNCHER = "usr/local/bin/agnhost-or-pause"
LAUNCHED = b"""\
#!/bin/sh
[ $# -gt 0 ] || set -- pause
exec /agnhost "$@"
"""
"""Pods without arguments expect one that waits: upstream's image has that as its default."""

SOURCE = "https://github.com/kubernetes/kubernetes"
ROOT = "root.tar"
DISK_BYTES = 1_500_000_000


def images() -> Recipe:
    """Return the recipe of the archive."""
    base = debian_layers().base
    tools = debian_root("conformance-root", (*BASE, *TOOLS), disk_bytes=DISK_BYTES)

    def build(workshop: Workshop) -> None:
        below = (
            Layer.at(workshop.need(base) / "base.tar"),
            layer_between(
                workshop.need(base_root()) / ROOT,
                workshop.need(tools) / ROOT,
                workshop.scratch / "tools.tar",
                without=WITHOUT,
            ),
        )
        program = workshop.need(suite())
        listed = workshop.run(program / SUITE, "--list-images")
        above = _agnhost(program, workshop.scratch)
        written = (*_agnhosts(listed, (*below, *above)), *_resolvers(listed, below))
        write_archive(written, workshop.out / ARCHIVE, architecture=architecture())

    return Recipe(
        "conformance-images",
        build,
        inputs={
            "architecture": architecture(),
            "writer": digest_of(Path(__file__), Path(layer.__file__), Path(oci.__file__)),
        },
        needs=(suite(), base, base_root(), tools),
        disk_bytes=DISK_BYTES,
    )


def names_in(listed: str, image: str) -> list[str]:
    """Return the full names of an image, one for each version that the suite asks for."""
    return sorted(one for one in listed.split() if one.startswith(f"{REGISTRY}/{image}:"))


def _agnhost(program: Path, folder: Path) -> tuple[Layer, ...]:
    programs: dict[str, Path | bytes | Symlink] = {
        AGNHOST: program / AGNHOST,
        LAUNCHER: LAUNCHED,
    }
    certificates = {name: program / name for name in CERTIFICATES}
    return (
        layer_of_files(programs, folder / "agnhost.tar", folders={"uploads": 0o755}),
        layer_of_files(certificates, folder / "certificates.tar", mode=0o644),
    )


def _agnhosts(listed: str, layers: tuple[Layer, ...]) -> Iterator[Image]:
    for name in names_in(listed, AGNHOST):
        yield _image(name, layers, entrypoint=(f"/{LAUNCHER}",))


def _resolvers(listed: str, layers: tuple[Layer, ...]) -> Iterator[Image]:
    for name in names_in(listed, RESOLVER):
        yield _image(name, layers)


def _image(name: str, layers: tuple[Layer, ...], entrypoint: tuple[str, ...] = ()) -> Image:
    title, _, version = name.rpartition("/")[2].partition(":")
    return Image(
        names=(name,),
        title=title,
        version=version,
        source=SOURCE,
        origin="Debian 13, Kubernetes' test images",
        layers=layers,
        entrypoint=entrypoint,
    )
