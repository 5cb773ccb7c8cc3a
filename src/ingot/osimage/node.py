"""The root of a node: Debian, Kubernetes' binaries, the container images, and our own files.

What is ours lies under `files/node`, a tree that looks like the result. Everything that must be a
machine's own (its id, its SSH keys, its name) is left out, and made or told on first boot. How a
machine's network is set on first boot, it has in common with the agent ramdisk.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe, digest_of
from ingot.debian.tree import pack, unpack
from ingot.osimage.debian import node_debian
from ingot.osimage.imagestore import fill_image_store
from ingot.payload.binaries import cni_plugins, containerd, kubernetes
from ingot.payload.images import images
from ingot.payload.pythontree import ingot_tree
from ingot.payload.source import Source

__all__ = ["copy_shared", "node_root"]

KUBERNETES_COMMANDS = ("kubeadm", "kubectl", "kubelet")
ENABLED = (
    "containerd",
    "ingot-cpuinfo",
    "ingot-first-boot",
    "ingot-host-keys",
    "kubelet",
    "ssh",
    "systemd-networkd",
    "systemd-networkd-wait-online",
    "systemd-resolved",
)
DISABLED = (
    "apt-daily-upgrade.timer",  # a node changes by a new image, never by itself
    "apt-daily.timer",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "e2scrub_reap",
    "sshd-keygen",  # makes RSA keys, which takes long; ingot-host-keys makes ours
)
LINKS = {
    "etc/resolv.conf": "/run/systemd/resolve/resolv.conf",
    "usr/lib/ingot/ignition/setfiles": "/usr/bin/true",
}
SHARED = Path("usr/lib/ingot/shared/ingot/agent")
"""Where first boot imports from what the agent ramdisk has as well."""
SHARED_FILES = ("__init__.py", "applying.py", "networkdata.py")
FORGOTTEN = (
    "etc/apt/sources.list",
    "etc/hostname",
    "etc/machine-id",
    "etc/ssh/ssh_host_*",
    "etc/.pwd.lock",
    "usr/bin/ignition-validate",
    "usr/lib/python3*/**/__pycache__",
    "usr/lib/udev/hwdb.d/*",  # what hwdb.bin was made from
    "usr/share/bash-completion/*",
    "usr/share/bug/*",
    "usr/share/common-licenses/*",
    "var/cache/*/*",
    "var/lib/apt/lists/*",
    "var/lib/dbus/machine-id",
    "var/lib/dpkg/*-old",
    "var/lib/systemd/random-seed",
    "var/lib/systemd/timers/*",
    "var/log/*",
    "var/tmp/*",
)
"""What a machine makes for itself, and what was only needed to build."""


def node_root(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of a node's root: `root.tar`."""
    debian = node_debian()
    kube, runtime, plugins = kubernetes(source), containerd(source), cni_plugins(source)
    archive, python = images(source), ingot_tree()

    def build(workshop: Workshop) -> None:
        root = workshop.scratch / "root"
        unpack(workshop, workshop.need(debian) / "root.tar", root)
        commands = root / "usr/local/bin"
        _install(workshop.need(kube), commands, KUBERNETES_COMMANDS)
        _install(workshop.need(runtime), commands)
        _install(workshop.need(plugins), root / "opt/cni/bin")
        unpack(workshop, workshop.need(python) / "tree.tar", root)
        _copy_files(root)
        copy_shared(root)
        _make_generic(workshop, root)
        workshop.say("filling containerd's store with the images")
        fill_image_store(
            workshop,
            workshop.need(archive) / "images.tar",
            root / "var/lib/containerd",
            commands=workshop.need(runtime),
        )
        pack(workshop, root, workshop.out / "root.tar")

    with as_file(files("ingot.osimage")) as here:
        ours = digest_of(here / "files/node")
    with as_file(files("ingot.agent")) as here:
        shared = digest_of(*(here / name for name in SHARED_FILES))
    return Recipe(
        "node-root",
        build,
        inputs={"files": ours, "shared": shared},
        needs=(debian, kube, runtime, plugins, archive, python),
        disk_bytes=8_000_000_000,
        programs={"tar": "tar", "unshare": "util-linux"},
        revision=2,  # 2: layers are not kept beside what was unpacked from them
    )


def _install(source: Path, target: Path, names: Sequence[str] = ()) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.iterdir()):
        if file.name in names or (not names and file.stat().st_mode & 0o100):
            shutil.copy(file, target)
            (target / file.name).chmod(0o755)


def _copy_files(root: Path) -> None:
    with as_file(files("ingot.osimage")) as here:
        tree = here / "files/node"
        for file in sorted(path for path in tree.rglob("*") if path.is_file()):
            if "__pycache__" in file.parts:
                continue
            target = root / file.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            target.chmod(0o644)
    (root / "etc/sudoers.d/ingot").chmod(0o440)


def copy_shared(root: Path) -> None:
    """Put into a root what first boot has in common with the agent ramdisk."""
    (root / SHARED).mkdir(parents=True)
    with as_file(files("ingot.agent")) as here:
        for name in SHARED_FILES:
            shutil.copyfile(here / name, root / SHARED / name)
            (root / SHARED / name).chmod(0o644)


def _make_generic(workshop: Workshop, root: Path) -> None:
    for pattern in FORGOTTEN:
        for path in root.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    workshop.run("chroot", root, "systemctl", "enable", *ENABLED)
    workshop.run("chroot", root, "systemctl", "mask", *DISABLED)
    workshop.run("chroot", root, "systemctl", "set-default", "multi-user.target")
    # Empty, not missing: the machine gets an id of its own, but no first boot in systemd's sense,
    # which would enable every unit that Debian ships.
    (root / "etc/machine-id").touch()
    (root / "etc/machine-id").chmod(0o444)
    # Caches are as new as what they are made from: no machine need make them again.
    for stamp in ("etc/.updated", "var/.updated"):
        (root / stamp).touch()
    for name, target in LINKS.items():
        (root / name).unlink(missing_ok=True)
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
