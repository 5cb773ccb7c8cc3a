"""The BMCs of a site: the emulator's process, and what its systems were told."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.operator_site.emulator import ADDRESS, LIVE_ISO, system_uuid
from tests.operator_site.process import cpu_seconds
from tests.ports import free_port

STARTS_WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class PowerAction:
    """Something that a system was told by its BMC.

    Attributes:
        at: when, as seconds since the epoch.
        action: by Redfish's word.
        before: whether it was `On` or `Off`.
    """

    at: float
    system: str
    action: str
    before: str

    @property
    def changes_nothing(self) -> bool:
        """Whether the system was already what it was told to be."""
        return (self.action, self.before) in {
            ("On", "On"),
            ("ForceOn", "On"),
            ("ForceOff", "Off"),
            ("GracefulShutdown", "Off"),
        }


@dataclass
class Bmcs:
    """A running emulator."""

    port: int
    count: int
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def root(self) -> str:
        return f"http://{ADDRESS}:{self.port}"

    @property
    def live_iso(self) -> str:
        """What a host can be provisioned with that needs no agent."""
        return f"{self.root}{LIVE_ISO}"

    @property
    def cpu_seconds(self) -> float:
        return cpu_seconds(self.process.pid)

    def address(self, number: int) -> str:
        """Return a host's `spec.bmc.address`."""
        place = f"{ADDRESS}:{self.port}/redfish/v1/Systems/{system_uuid(number)}"
        return f"redfish-virtualmedia+http://{place}"

    def actions(self) -> dict[int, list[PowerAction]]:
        """Return all that each system was told, in order."""
        numbers = {system_uuid(number): number for number in range(self.count)}
        told: dict[int, list[PowerAction]] = {number: [] for number in range(self.count)}
        for line in _record(self.folder).read_text("utf-8").splitlines():
            action = PowerAction(**json.loads(line))
            told[numbers[action.system]].append(action)
        return told

    def power(self) -> dict[int, str]:
        """Return whether each system is `On` or `Off`."""
        with urllib.request.urlopen(f"{self.root}/systems", timeout=30) as answer:  # noqa: S310
            states = json.loads(answer.read())
        return {number: states[system_uuid(number)] for number in range(self.count)}

    def slow_down(self, number: int, seconds: float) -> None:
        """Let every answer about a system take this much longer; 0 makes it as the others."""
        asked = urllib.request.Request(  # noqa: S310 - always http
            f"{self.root}/slow/{system_uuid(number)}/{seconds:.1f}", method="PUT"
        )
        urllib.request.urlopen(asked, timeout=30).close()  # noqa: S310


@contextmanager
def bmcs(folder: Path, count: int) -> Iterator[Bmcs]:
    """Run the BMCs of so many systems, all off, until the end of the block."""
    (folder / "media").mkdir()
    _record(folder).touch()
    port = free_port()
    words = ["-m", "tests.operator_site.emulator", str(port), str(count), str(_record(folder))]
    with (folder / "bmcs.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "TMPDIR": str(folder / "media")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_it_listens(process, port, folder)
        yield Bmcs(port, count, folder, process)
    finally:
        process.kill()
        process.wait(30)


def _record(folder: Path) -> Path:
    return folder / "power.jsonl"


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while True:
        said = (folder / "bmcs.log").read_text("utf-8", errors="replace")[-3000:]
        assert process.poll() is None, f"the BMCs ended:\n{said}"
        assert time.monotonic() < deadline, f"the BMCs do not listen:\n{said}"
        try:
            socket.create_connection((ADDRESS, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
