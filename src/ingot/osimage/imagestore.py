"""containerd's store, filled when the node image is built: images imported and unpacked.

Importing on a machine's first boot was rejected: it takes half a minute and twice the space, on
every machine. containerd itself fills the store, privately: its processes and mounts are in
namespaces that end with it. Its databases are then written anew, so that equal images give equal
stores.

Once unpacked, a layer's tar is never read again: containerd gives it up, as it does with
`discard_unpacked_layers` for images that kubelet pulls. An image is its manifest, its configuration
and its snapshots, and is offered to kubelet with those alone. What is lost is to export an image
from a node, or to unpack it for another snapshotter than `overlayfs`.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.debian.tree import EPOCH
from ingot.osimage.bolt import Bucket, read_database, write_database

__all__ = ["fill_image_store", "settle"]

NAMESPACE = "k8s.io"
"""Where kubelet's side of containerd looks for images."""

CONFIG = """\
version = 3
root = '{store}'
state = '{run}/state'
disabled_plugins = [
    'io.containerd.cri.v1.images',
    'io.containerd.cri.v1.runtime',
    'io.containerd.grpc.v1.cri',
    'io.containerd.internal.v1.opt',
    'io.containerd.internal.v1.restart',
    'io.containerd.internal.v1.tracing',
    'io.containerd.nri.v1.nri',
    'io.containerd.snapshotter.v1.blockfile',
    'io.containerd.snapshotter.v1.btrfs',
    'io.containerd.snapshotter.v1.devmapper',
    'io.containerd.snapshotter.v1.erofs',
    'io.containerd.snapshotter.v1.native',
    'io.containerd.snapshotter.v1.zfs',
]

[grpc]
address = '{run}/sock'

[ttrpc]
address = '{run}/ttrpc'
"""

SCRIPT = """\
set -eu
containerd --config "$1/config.toml" --log-level warn &
for attempt in $(seq 300); do
    kill -0 $!
    if ctr --address "$1/sock" version > /dev/null 2>&1; then break; fi
    sleep 0.1
done
ctr --address "$1/sock" --namespace "$3" images import --local --snapshotter overlayfs "$2"
ctr --address "$1/sock" --namespace "$3" content prune references
ctr --address "$1/sock" --namespace "$3" images list --quiet
kill $!
wait
"""

KEPT = (
    "io.containerd.content.v1.content",
    "io.containerd.metadata.v1.bolt",
    "io.containerd.snapshotter.v1.overlayfs",
)
"""What holds images. The rest is a machine's own, such as the id that containerd gives itself."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

TIMES = (b"createdat", b"updatedat")
# As Go writes a time: a version, seconds since the year 1, nanoseconds, and -1 for UTC.
SECONDS_BEFORE_1970 = 62_135_596_800
FIXED_TIME = b"\1" + (EPOCH + SECONDS_BEFORE_1970).to_bytes(8) + bytes(4) + b"\xff\xff"


def fill_image_store(workshop: Workshop, archive: Path, store: Path, *, commands: Path) -> None:
    """Import an archive of images into a store and unpack them.

    Args:
        workshop: where this is done.
        archive: an OCI archive.
        store: what will be /var/lib/containerd.
        commands: the folder of `containerd` and `ctr`.
    """
    store.mkdir(parents=True)
    # A socket's path is short, and the workshop's may be long.
    with tempfile.TemporaryDirectory(prefix="ingot-") as run:
        Path(run, "config.toml").write_text(CONFIG.format(store=store, run=run), encoding="utf-8")
        workshop.run(
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
            "sh", "-c", SCRIPT, "import", run, archive, NAMESPACE,
            env={"PATH": f"{commands}:{PATH}"},
        )  # fmt: skip
    for folder in store.iterdir():
        if folder.name not in KEPT:
            shutil.rmtree(folder)
    for database in store.rglob("*.db"):
        contents = read_database(database.read_bytes())
        settle(contents)
        database.write_bytes(write_database(contents))
    store.chmod(0o711)


def settle(contents: Bucket) -> None:
    """Forget when things were made, and by which client."""
    for bucket in contents.walk():
        bucket.buckets.pop(b"leases", None)
        for name in TIMES:
            if name in bucket.values:
                bucket.values[name] = FIXED_TIME
