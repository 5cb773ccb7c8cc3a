"""A whole lab for tests, made and removed by the commands a user has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingot.lab.plan import HostPlan, LabPlan
from tests.e2e.ssh import ssh

INGOT = Path(sys.executable).with_name("ingot")


@dataclass(frozen=True)
class TestLab:
    """A running lab."""

    __test__ = False

    name: str
    state: Path
    directory: Path

    @property
    def home(self) -> Path:
        return self.state / "labs" / self.name

    @property
    def plan(self) -> LabPlan:
        return LabPlan.model_validate_json((self.home / "plan.json").read_text(encoding="utf-8"))

    def host(self, name: str) -> HostPlan:
        host = self.plan.host(name)
        assert host is not None
        return host

    def ingot(self, *words: str | Path, seconds: float = 300) -> str:
        """Run a command of the lab to its end."""
        done = self.try_ingot(*words, seconds=seconds)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def try_ingot(
        self, *words: str | Path, seconds: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the lab and return how it went."""
        command = [*words, "--name", self.name]
        if "--" in words:  # What follows is not ours.
            command = [*words[:1], "--name", self.name, *words[1:]]
        return subprocess.run(
            [INGOT, "lab", *command],
            env={**os.environ, "INGOT_STATE": str(self.state)},
            check=False,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def status(self) -> dict[str, Any]:
        """Return what `ingot lab status` says of each host."""
        said = json.loads(self.ingot("status", "-o", "json"))
        return {host["name"]: host for host in said["hosts"]}

    def console(self, host: str) -> str:
        """Return everything on a host's console so far."""
        return self.ingot("console", host)

    def command(self, *command: str | Path) -> list[str]:
        """Return a command that runs on the lab's network."""
        return ["ip", "netns", "exec", self.plan.namespace, *map(str, command)]

    def ssh(
        self, host: str, key: Path, command: str, *, seconds: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a host, at its external address."""
        address = self.host(host).nics[-1].address
        return ssh(self.plan.namespace, key, f"root@{address}", command, seconds=seconds)


@contextmanager
def created_lab(folder: Path, *options: str | Path, name: str) -> Iterator[TestLab]:
    """Create a lab; it is gone afterwards."""
    lab = TestLab(name, folder / "state", folder / "install")
    lab.directory.mkdir()
    try:
        lab.ingot("create", "--dir", lab.directory, *options)
        yield lab
    finally:
        lab.ingot("destroy")
