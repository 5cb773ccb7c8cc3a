"""The root of the agent ramdisk: Debian, ironic-python-agent and our hardware manager, trimmed.

The agent is taken out of its Debian package without what that package depends on: libguestfs, a
whole QEMU, git and burn-in tools make 1.4 GB, and none of them is used here. What it does run is
listed below.
"""

from __future__ import annotations

import os
import shutil
from importlib.resources import files
from pathlib import Path

from ingot import __version__
from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe, digest_of
from ingot.debian.package import fetch_package
from ingot.debian.root import ROOT_FILE, SUITE, debian_root, mirror_of
from ingot.debian.tree import pack, unpack

__all__ = ["agent_root", "chroot"]

SYSTEM = (
    "ca-certificates", "chrony", "dbus", "iproute2", "kmod", "openssh-server", "procps",
    "systemd", "systemd-resolved", "systemd-sysv", "udev", "util-linux-extra",
)  # fmt: skip
"""An init, a network, a clock and a way in."""

HARDWARE = (
    "bsdextrautils", "dmidecode", "efibootmgr", "ethtool", "file", "ipmitool", "lshw", "pciutils",
    "psmisc",
)  # fmt: skip
"""Programs that inspection runs."""

STORAGE = (
    "dosfstools", "e2fsprogs", "fdisk", "gdisk", "hdparm", "mdadm", "nvme-cli", "parted",
    "qemu-utils", "sg3-utils", "smartmontools", "xfsprogs",
)  # fmt: skip
"""Programs that cleaning, software RAID and image writing run."""

PYTHON = (
    "python3", "python3-cryptography", "python3-eventlet", "python3-futurist",
    "python3-oslo.concurrency", "python3-oslo.config", "python3-oslo.log", "python3-oslo.service",
    "python3-oslo.utils", "python3-pbr", "python3-pint", "python3-psutil", "python3-pyudev",
    "python3-requests", "python3-stevedore", "python3-tenacity", "python3-voluptuous",
    "python3-werkzeug", "python3-yaml", "python3-zeroconf",
)  # fmt: skip
"""Libraries that the agent imports."""

ALONE = ("ironic-python-agent", "python3-tooz")
"""Packages unpacked without their dependencies; tooz is imported for burn-in, and never called."""

DISK_BYTES = 2_500_000_000

TRIMMED = (
    # Packages are never added to a ramdisk.
    "etc/apt", "usr/bin/apt*", "usr/bin/dpkg*", "usr/lib/apt", "usr/lib/x86_64-linux-gnu/libapt*",
    "usr/sbin/dpkg*", "usr/share/debconf", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log/*",
    "var/lib/ucf", "var/lib/systemd/catalog", "etc/cron*", "etc/init.d", "etc/rc?.d",
    "usr/share/perl5", "usr/bin/perl*", "usr/lib/x86_64-linux-gnu/perl*",
    # Text for people.
    "usr/share/bash-completion", "usr/share/bug", "usr/share/common-licenses", "usr/share/doc*",
    "usr/share/i18n",
    "usr/share/javascript", "usr/share/locale", "usr/share/man", "usr/share/zsh",
    "usr/lib/python3/dist-packages/babel/locale-data/*", "usr/share/python-babel-localedata",
    # Sources of something that is there in its final form.
    "usr/lib/udev/hwdb.d", "usr/share/zoneinfo*",
    # Parts of packages of which another part is needed.
    "usr/bin/qemu-io", "usr/bin/qemu-nbd", "usr/bin/qemu-storage-daemon",
    "usr/lib/python3/dist-packages/docutils", "usr/lib/python3/dist-packages/setuptools",
    "usr/lib/python3*/idlelib", "usr/lib/python3*/lib2to3", "usr/lib/python3*/pydoc_data",
    "usr/lib/python3*/ensurepip", "usr/lib/x86_64-linux-gnu/gconv",
    "usr/lib/python3/dist-packages/*/tests", "usr/lib/python3/dist-packages/*/*/tests",
    "usr/lib/python3/dist-packages/gevent", "usr/lib/python3/dist-packages/pint/testsuite",
    "usr/sbin/xfs_scrub*", "usr/lib/x86_64-linux-gnu/libicu*", "usr/share/ieee-data",
    # Made on one machine for that machine only.
    "etc/machine-id", "var/lib/dbus/machine-id", "etc/ssh/ssh_host_*",
    "etc/chrony/chrony.keys", "etc/ld.so.cache.old", "etc/*-", "dev/*", "boot", "run/*",
    "tmp/*", "var/tmp/*",
)  # fmt: skip

MASKED = (
    "apt-daily-upgrade.timer", "apt-daily.timer", "chrony.service", "dpkg-db-backup.timer",
    "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "getty@.service",
    "mdcheck_continue.timer", "mdcheck_start.timer", "mdmonitor-oneshot.timer",
    "nvmefc-boot-connections.service", "nvmf-autoconnect.service",
    "mdmonitor.service", "serial-getty@.service", "smartmontools.service", "systemd-binfmt.service",
    "systemd-firstboot.service", "systemd-pcrphase.service", "systemd-update-utmp.service",
    "xfs_scrub_all.timer",
)  # fmt: skip
"""Units of a machine that stays. The agent runs chronyd itself, when it is told of a server."""

ENABLED = (
    "ingot-agent-arguments.service", "ingot-agent-network.service", "ironic-python-agent.service",
    "ssh.service", "systemd-networkd.service", "systemd-networkd-wait-online.service",
    "systemd-resolved.service",
)  # fmt: skip

FILES = Path(str(files("ingot.osimage").joinpath("files", "agent")))
OURS = Path(str(files("ingot").joinpath("agent")))
DIST_PACKAGES = Path("usr/lib/python3/dist-packages")


def agent_root() -> Recipe:
    """Return the recipe of the root: `root.tar`, and `packages.txt` of what went in."""
    debian = debian_root(
        "agent-debian", (*SYSTEM, *HARDWARE, *STORAGE, *PYTHON), disk_bytes=DISK_BYTES
    )

    def build(workshop: Workshop) -> None:
        source = workshop.need(debian)
        root = workshop.scratch / "root"
        unpack(workshop, source / ROOT_FILE, root)
        versions = (source / "packages.txt").read_text(encoding="utf-8")
        mirror = mirror_of(workshop, source / ROOT_FILE)
        for name in ALONE:
            package = fetch_package(workshop, name, suite=SUITE, mirror=mirror)
            workshop.run("dpkg-deb", "--extract", package, root)
            version = workshop.run("dpkg-deb", "--field", package, "Version").strip()
            versions += f"{name}\t{version}\n"
            package.unlink()
        install_ours(root)
        _trim(root)
        _settle(workshop, root)
        (workshop.out / "packages.txt").write_text(versions, encoding="utf-8")
        pack(workshop, root, workshop.out / ROOT_FILE)

    return Recipe(
        "agent-root",
        build,
        inputs={
            "files": digest_of(FILES, OURS),
            "trimmed": " ".join(TRIMMED),
            "masked": " ".join(MASKED),
            "enabled": " ".join(ENABLED),
            "alone": " ".join(ALONE),
            "version": __version__,
        },
        needs=(debian,),
        disk_bytes=DISK_BYTES,
        programs={"dpkg-deb": "dpkg", "apt-get": "apt", "chroot": "coreutils"},
    )


def chroot(workshop: Workshop, root: Path, *command: str) -> str:
    """Run a program of a root inside it."""
    return workshop.run(
        "chroot", root, *command, env={"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    )


def install_ours(root: Path) -> None:
    """Put the files of the ramdisk and the package `ingot.agent` into a root."""
    shutil.copytree(FILES, root, dirs_exist_ok=True, symlinks=True)
    package = root / DIST_PACKAGES / "ingot"
    shutil.copytree(OURS, package / "agent", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text('"""Ingot\'s part of the ramdisk."""\n', encoding="utf-8")
    facts = root / DIST_PACKAGES / f"ingot_agent-{__version__}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: ingot-agent\nVersion: {__version__}\n", encoding="utf-8"
    )
    (facts / "entry_points.txt").write_text(
        "[ironic_python_agent.hardware_managers]\n"
        "ingot = ingot.agent.hardware:IngotHardwareManager\n",
        encoding="utf-8",
    )
    # Whatever the modes of a checkout are, an image has the same ones.
    ours = [root / file.relative_to(FILES) for file in FILES.rglob("*")]
    for path in (*ours, package, *package.rglob("*"), facts, *facts.iterdir()):
        os.chown(path, 0, 0)
        path.chmod(0o755 if path.is_dir() else 0o644)


def _trim(root: Path) -> None:
    for pattern in TRIMMED:
        for path in root.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    for folder in ("var/cache", "var/log", "boot", "var/lib/dpkg"):
        (root / folder).mkdir(parents=True, exist_ok=True)


def _settle(workshop: Workshop, root: Path) -> None:
    """Bring what is left into the state in which it boots."""
    (root / "etc/machine-id").touch()
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    (root / "etc/resolv.conf").symlink_to("../run/systemd/resolve/stub-resolv.conf")
    (root / "init").symlink_to("usr/lib/systemd/systemd")
    (root / "etc/fstab").write_text("", encoding="utf-8")
    units = root / "etc/systemd/system"
    for unit in MASKED:
        (units / unit).unlink(missing_ok=True)
        (units / unit).symlink_to("/dev/null")
    workshop.run("systemctl", f"--root={root}", "--quiet", "set-default", "multi-user.target")
    for unit in ENABLED:
        workshop.run("systemctl", f"--root={root}", "--quiet", "enable", unit)
    _compile(workshop, root)
    (root / "etc/ld.so.cache").unlink(missing_ok=True)
    chroot(workshop, root, "ldconfig", "-X")
    shutil.rmtree(root / "var/cache/ldconfig", ignore_errors=True)


def _compile(workshop: Workshop, root: Path) -> None:
    """Compile all Python anew, so that it counts as fresh whatever the files' times are.

    Compiling while booting costs ten seconds; Debian's own results are bound to times of files,
    which reproducible roots do not keep.
    """
    for stale in root.glob("usr/lib/python3*/**/__pycache__"):
        shutil.rmtree(stale)
    chroot(
        workshop, root, "python3", "-m", "compileall", "-q", "--invalidation-mode",
        "unchecked-hash", "/usr/lib/python3", *(f"/{path.relative_to(root)}" for path in
                                               sorted(root.glob("usr/lib/python3.*"))),
    )  # fmt: skip
