"""A program that is part of a site: in a control group from its first moment, with its own log."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.e2e.site import eventually
from tests.onprem_site.groups import Group

REPOSITORY = Path(__file__).parents[2]

JOIN = """
count=$1; shift
while [ "$count" -gt 0 ]; do echo $$ > "$1"; shift; count=$((count - 1)); done
exec "$@"
"""
ENDS_WITHIN = 10.0


class Process:
    """A program that a node runs.

    Attributes:
        name: what it is called in logs.
        log: where everything goes that it writes to standard error, and to standard output unless
            it is talked to.
    """

    def __init__(self, name: str, log: Path, popen: subprocess.Popen[bytes]) -> None:
        self.name = name
        self.log = log
        self._popen = popen

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_running(self) -> bool:
        return self._popen.poll() is None

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._popen.send_signal(number)

    def kill(self) -> None:
        """End it at once."""
        self._popen.kill()
        self.wait()

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self._popen.terminate()
        self.wait()

    def finish(self) -> None:
        """Let one of the bed's own programs come to its end, if it can."""
        try:
            if self._popen.stdin is not None:
                self._popen.stdin.close()
            self.wait()
        except subprocess.TimeoutExpired:
            self.kill()

    def wait(self) -> int:
        """Wait until it has ended, and return how."""
        try:
            return self._popen.wait(ENDS_WITHIN)
        finally:
            for pipe in (self._popen.stdin, self._popen.stdout):
                if pipe is not None and self._popen.returncode is not None:
                    pipe.close()

    def ask(self, words: str, *, within: float = 5.0) -> str:
        """Write a line to one of the bed's own programs, and return the line it answers."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(words.encode() + b"\n")
        self._popen.stdin.flush()
        return self.line(within=within)

    def line(self, *, within: float) -> str:
        """Return the next line that it writes."""
        assert self._popen.stdout is not None
        deadline, read = time.monotonic() + within, b""
        while not read.endswith(b"\n"):
            left = deadline - time.monotonic()
            if not select.select([self._popen.stdout], [], [], max(left, 0))[0]:
                raise TimeoutError(f"{self.name} said nothing within {within} seconds")
            got = os.read(self._popen.stdout.fileno(), 1)
            if not got:
                raise EOFError(f"{self.name} ended:\n{self.log.read_text(errors='replace')}")
            read += got
        return read.decode().rstrip("\n")


def launched(
    command: Sequence[str],
    group: Group,
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    talking: bool = False,
) -> Process:
    """Start a program in a group; it is in there when this returns.

    Args:
        command: the program and its arguments.
        group: the group it is in before it begins.
        log: what it writes is added here.
        env: variables to add.
        talking: whether it is talked to, by standard input and output.
    """
    joining = tuple(map(str, group.joining))
    pipe = subprocess.PIPE
    with log.open("ab") as file:
        popen = subprocess.Popen(
            ["sh", "-c", JOIN, "sh", str(len(joining)), *joining, *command],
            stdin=pipe if talking else subprocess.DEVNULL,
            stdout=pipe if talking else file,
            stderr=file,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
    eventually(lambda: popen.pid in group.pids or popen.poll() is not None, within=30, every=0.001)
    return Process(log.stem, log, popen)


def own_program(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of the bed."""
    path = f"PYTHONPATH={REPOSITORY}"
    return ["env", path, sys.executable, "-m", f"tests.onprem_site.{module}", *arguments]


def when_ready(process: Process) -> Process:
    """Return one of the bed's own programs when it has said that it is ready."""
    said = process.line(within=30)
    assert said == "ready", f"{process.name}: {said}"
    return process
