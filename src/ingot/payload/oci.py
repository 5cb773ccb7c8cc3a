"""Container images without a container engine: OCI images, several in one archive.

The archive is an OCI image layout in a tar, as `ctr images import` takes it. Each blob is in it
once, whoever uses it, and each name of an image is an entry of the index.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from ingot.debian.tree import EPOCH
from ingot.payload.layer import Digest, Layer

__all__ = ["PATH", "Image", "Written", "write_archive"]

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CREATED = datetime.fromtimestamp(EPOCH, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Image:
    """An image to be written."""

    names: tuple[str, ...]
    """Full names with tags, as a pod asks for them."""
    title: str
    version: str
    source: str
    """Where its source is found."""
    origin: str
    """What its content was made from, for people."""
    layers: tuple[Layer, ...]
    entrypoint: tuple[str, ...] = ()
    user: str = ""
    environment: tuple[str, ...] = (PATH,)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """An image in an archive."""

    image: Image
    digest: Digest
    """Of its manifest: what a registry would call the image."""
    size: int
    """Manifest, configuration and all layers, in bytes."""


def write_archive(images: Sequence[Image], to: Path, *, architecture: str) -> list[Written]:
    """Write images as one archive.

    Args:
        images: what is to be in it.
        to: the file to write.
        architecture: of the programs in the images, as Go names it.

    Returns:
        The images with their digests, in the given order.

    Raises:
        ValueError: two images have the same name.
    """
    platform = {"architecture": architecture, "os": "linux"}
    names = [name for image in images for name in image.names]
    if len(names) != len(set(names)):
        raise ValueError(f"an image name is given twice: {sorted(names)}")
    blobs: dict[Digest, bytes | Path] = {}
    written: list[Written] = []
    descriptors: list[dict[str, object]] = []
    for image in images:
        config = _json(_config(image, platform))
        manifest = _json(_manifest(image, config))
        blobs[_digest(config)] = config
        blobs[_digest(manifest)] = manifest
        blobs |= {layer.digest: layer.path for layer in image.layers}
        size = len(manifest) + len(config) + sum(layer.size for layer in image.layers)
        written.append(Written(image, _digest(manifest), size))
        descriptors += (_descriptor(name, manifest, platform) for name in image.names)
    index = {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": descriptors}
    files: dict[str, bytes | Path] = {
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        "index.json": _json(index),
    }
    files |= {f"blobs/{digest.replace(':', '/')}": blob for digest, blob in sorted(blobs.items())}
    with tarfile.open(to, "w", format=tarfile.PAX_FORMAT) as archive:
        for folder in ("blobs", "blobs/sha256"):
            archive.addfile(_member(folder, kind=tarfile.DIRTYPE, mode=0o755))
        for name, blob in files.items():
            _add(archive, name, blob)
    return written


def _config(image: Image, platform: Mapping[str, str]) -> dict[str, object]:
    labels = {
        "org.opencontainers.image.title": image.title,
        "org.opencontainers.image.version": image.version,
        "org.opencontainers.image.source": image.source,
        **image.labels,
    }
    run: dict[str, object] = {"Env": list(image.environment), "Labels": labels, "WorkingDir": "/"}
    if image.entrypoint:
        run["Entrypoint"] = list(image.entrypoint)
    if image.user:
        run["User"] = image.user
    return {
        "created": CREATED,
        **platform,
        "config": run,
        "rootfs": {"type": "layers", "diff_ids": [layer.digest for layer in image.layers]},
        "history": [
            {"created": CREATED, "created_by": f"ingot: {layer.path.stem}"}
            for layer in image.layers
        ],
    }


def _manifest(image: Image, config: bytes) -> dict[str, object]:
    return {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": {"mediaType": CONFIG_TYPE, "digest": _digest(config), "size": len(config)},
        "layers": [
            {"mediaType": LAYER_TYPE, "digest": layer.digest, "size": layer.size}
            for layer in image.layers
        ],
    }


def _descriptor(name: str, manifest: bytes, platform: Mapping[str, str]) -> dict[str, object]:
    """Return what the index says of one name; the tag alone is for tools other than containerd."""
    return {
        "mediaType": MANIFEST_TYPE,
        "digest": _digest(manifest),
        "size": len(manifest),
        "platform": platform,
        "annotations": {
            "io.containerd.image.name": name,
            "org.opencontainers.image.ref.name": name.rpartition(":")[2],
        },
    }


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _digest(blob: bytes) -> Digest:
    return f"sha256:{hashlib.sha256(blob).hexdigest()}"


def _add(archive: tarfile.TarFile, name: str, blob: bytes | Path) -> None:
    member = _member(name, kind=tarfile.REGTYPE, mode=0o644)
    if isinstance(blob, Path):
        member.size = blob.stat().st_size
        with blob.open("rb") as file:
            archive.addfile(member, file)
    else:
        member.size = len(blob)
        archive.addfile(member, BytesIO(blob))


def _member(name: str, *, kind: bytes, mode: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.mtime = kind, mode, EPOCH
    return member
