"""A node: namespaces of its own for network, mounts and host name, and a group for its processes.

Its mounts are its own so that /run, /sys and /etc/resolv.conf are too: pid files of two nodes do
not meet, and nothing under test reaches this machine's resolver. A process keeps the namespaces
while the node has no other; it is not in the node's group, so a node may lose all it runs.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.site import call, eventually
from tests.onprem_site.clock import Clock
from tests.onprem_site.groups import Group
from tests.onprem_site.plan import Seat
from tests.onprem_site.process import ENDS_WITHIN, Process, launched, own_program, when_ready


@dataclass(frozen=True)
class Node:
    """A node of a site.

    Attributes:
        seat: its place, with name and addresses.
        namespace: the name of its network namespace.
        folder: for its files; logs are here.
        group: of all its processes.
        keeper: the process whose namespaces it has.
        clock: its clock, where it has one of its own.
    """

    seat: Seat
    namespace: str
    folder: Path
    group: Group
    keeper: int
    clock: Clock | None = None
    _processes: list[Process] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.seat.name

    def inside(self, *command: str | Path) -> list[str]:
        """Return a command that runs in the node's namespaces, and in no group."""
        flags = ("--mount", "--uts", "--net")
        return ["nsenter", f"--target={self.keeper}", *flags, "--", *map(str, command)]

    def run(self, *command: str | Path) -> str:
        """Run a command to its end; it runs also where the node is frozen."""
        return call(*self.inside(*command))

    def start(
        self,
        *command: str | Path,
        name: str = "",
        env: Mapping[str, str] | None = None,
        talking: bool = False,
    ) -> Process:
        """Start a program as part of the node.

        Args:
            command: the program and its arguments.
            name: what to call it; otherwise the name of its program.
            env: variables to add.
            talking: whether it is talked to, by standard input and output.
        """
        log = self.folder / f"{name or Path(command[0]).name}.log"
        # Whoever loses its power leaves its temporary files here, and not on this PC.
        own = {"TMPDIR": str(self.folder)}
        env = {**own, **(self.clock.env if self.clock else {}), **(env or {})}
        inside = self.inside(*command)
        process = launched(inside, self.group, log, env=env, talking=talking)
        self._processes.append(process)
        return process

    def start_own(self, module: str, *arguments: str, name: str = "") -> Process:
        """Start one of the bed's own programs, and return it when it is ready."""
        command = own_program(module, *arguments)
        return when_ready(self.start(*command, name=name or module, talking=True))

    def pids(self, program: str) -> tuple[int, ...]:
        """Return the processes of that name, whoever of the node has started them."""
        return tuple(pid for pid in self.group.pids if _program(pid) == program)

    def tell(self, program: str, number: signal.Signals) -> None:
        """Send a signal to all processes of that name."""
        pids = self.pids(program)
        assert pids, f"{self.name} runs no {program}"
        for pid in pids:
            with suppress(ProcessLookupError):  # One may have ended with another.
                os.kill(pid, number)

    def kill(self, program: str) -> None:
        """End all processes of that name at once; none of them runs when this returns.

        They are held first, or one would see that another is dead and act on it. Those that were
        not started by us may be there as zombies until whoever is their parent now sees to it.
        """
        pids = self.pids(program)
        self.tell(program, signal.SIGSTOP)
        self.tell(program, signal.SIGKILL)

        def are_dead() -> bool:
            for process in self._processes:
                if not process.is_running:
                    process.wait()
            return not any(_is_alive(pid) for pid in pids)

        eventually(are_dead, within=ENDS_WITHIN, every=0.002)

    def vips(self) -> frozenset[str]:
        """Return the addresses it has beyond its own."""
        shown = self.run("ip", "-oneline", "address", "show", "dev", "eth0", "scope", "global")
        present = {line.split()[3].partition("/")[0] for line in shown.splitlines()}
        return frozenset(present - set(map(str, self.seat.addresses)))

    def end(self) -> None:
        """End all its processes at once."""
        self.group.end()
        for process in self._processes:
            process.wait()
        self._processes.clear()


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
    except (FileNotFoundError, ProcessLookupError):
        return ""
