"""A libvirt of our own, for labs on machines that have none, or whose own is not to be touched.

libvirt has its paths built in, so it runs in a root directory that is put together for it: Debian
13's programs from a tree, and one folder of ours at every place where libvirt writes. It lives in
the network namespace of whoever starts it, and so finds the lab's bridges. QEMU itself runs by
emulation or KVM as root, unconfined: it is a lab's, and nobody else is on this libvirt.

The daemon may be killed at any time; machines run on, and the next daemon finds them.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from ingot import process
from ingot.background import Background
from ingot.machine.driver import MachineError
from ingot.machine.libvirt.driver import LibvirtDriver
from ingot.machine.libvirt.platform import Accelerator
from ingot.machine.libvirt.refusal import LibvirtRefused
from ingot.machine.libvirt.tree import TREE
from ingot.machine.libvirt.virsh import Virsh

__all__ = ["LibvirtService", "ServiceFailed"]

START_SECONDS = 60
KILL_SECONDS = 30
LONGEST_SOCKET_PATH = 107
"""What the kernel allows for the path of a socket."""

LOADER = "usr/lib64/ld-linux-x86-64.so.2"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
PROGRAM = "usr/bin/virsh"

DAEMON = """\
auth_unix_ro = "none"
auth_unix_rw = "none"
unix_sock_ro_perms = "0700"
unix_sock_rw_perms = "0700"
unix_sock_admin_perms = "0700"
log_outputs = "3:stderr"
"""

QEMU = """\
# Files belong to root and stay so: what else is on this machine has no business with them.
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
# The root directory is private already, and cgroups are left to who set up the lab.
namespaces = []
cgroup_controllers = []
# The console is written by QEMU itself: no further daemon, and nothing is ever cut off.
stdio_handler = "file"
"""


class ServiceFailed(MachineError):  # noqa: N818 - it says what happened
    """libvirt does not come up."""


@dataclass(frozen=True, slots=True)
class LibvirtService:
    """One such libvirt.

    Attributes:
        folder: what holds everything it writes.
        tree: where the result of `libvirt_tree` is.
    """

    folder: Path
    tree: Path

    @property
    def home(self) -> Path:
        """The folder, by the one path that is true within and without libvirt's root."""
        return self.folder.resolve()

    @property
    def uri(self) -> str:
        """How to reach it."""
        return f"qemu:///system?socket={quote(str(self._socket))}"

    @property
    def virsh(self) -> Virsh:
        """The way to speak to it."""
        return Virsh(self.uri, self._program)

    @property
    def is_running(self) -> bool:
        """Whether the daemon runs."""
        return self._daemon.pid() is not None

    def driver(self, owner: str, *, accelerator: Accelerator | None = None) -> LibvirtDriver:
        """Return the driver of an owner's machines on it."""
        return LibvirtDriver(
            self.uri,
            home=self.home / "machines" / owner,
            owner=owner,
            accelerator=accelerator,
            pool_path=PurePosixPath(self.home / "pools" / owner),
            program=self._program,
        )

    def start(self) -> None:
        """Start it; nothing where it runs. It answers when this returns.

        Raises:
            ServiceFailed: it does not come up; with the end of its log.
        """
        if self.is_running:
            return
        self._check()
        for name in ("cache", "etc", "lib", "log", "machines", "pools", "room", "run"):
            (self.home / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.home / "etc/libvirtd.conf").write_text(DAEMON, encoding="utf-8")
        (self.home / "etc/qemu.conf").write_text(QEMU, encoding="utf-8")
        with as_file(files(__package__) / "room.sh") as script, self._log.open("ab") as log:
            alone = ("unshare", "--mount", "--propagation", "private")
            room = ("/bin/sh", script, self.tree / TREE, self.home)
            self._daemon.start([*alone, *room], output=log)
            self._wait()

    def stop(self) -> None:
        """End the daemon; nothing where it does not run. Machines run on."""
        self._daemon.stop()

    def destroy(self) -> None:
        """End the daemon and every machine, also after a crash, and remove the folder."""
        self.stop()
        for record in self.home.glob("machines/*/*.guard.json"):
            Background(record).stop(grace=0)
        deadline = time.monotonic() + KILL_SECONDS
        while inhabitants := self._inhabitants():
            if time.monotonic() > deadline:
                raise ServiceFailed(
                    f"processes {inhabitants} of {self.home} do not end", remedy="try it again"
                )
            for pid in inhabitants:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        if self.home.exists():
            shutil.rmtree(self.home)

    @property
    def _socket(self) -> Path:
        return self.home / "run/libvirt-sock"

    @property
    def _log(self) -> Path:
        return self.home / "libvirtd.log"

    @property
    def _daemon(self) -> Background:
        return Background(self.home / "libvirtd.json")

    @property
    def _program(self) -> tuple[str, ...]:
        tree = self.tree / TREE
        return (
            str(tree / LOADER), "--library-path", str(tree / LIBRARIES), str(tree / PROGRAM)
        )  # fmt: skip

    def _check(self) -> None:
        process.require({"unshare": "util-linux", "mount": "mount", "chroot": "coreutils"})
        if os.geteuid() != 0:
            raise ServiceFailed("only root can start a libvirt for a lab", remedy="use sudo")
        if len(str(self._socket)) > LONGEST_SOCKET_PATH:
            raise ServiceFailed(
                f"{self._socket} is too long for the path of a socket",
                remedy="set INGOT_STATE to a folder with a shorter path",
            )

    def _wait(self) -> None:
        """Wait until the daemon answers."""
        virsh = self.virsh
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                virsh("uri")
            except LibvirtRefused as refused:
                if self.is_running and time.monotonic() < deadline:
                    time.sleep(0.05)
                    continue
                self.stop()
                said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
                raise ServiceFailed(
                    "\n".join(["libvirt does not come up:", *said[-10:]]), remedy=f"see {self._log}"
                ) from refused
            return

    def _inhabitants(self) -> list[int]:
        """Return the processes whose root directory is the one made here."""
        room = str(self.home / "room")
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and str((folder / "root").readlink()) == room:
                    found.append(int(folder.name))
        return found
