"""A cluster of the lab, made by the command that users have, and asked as they ask it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingot.installer.phase import Phase
from tests.e2e.creating import Created, create_cluster
from tests.e2e.lab import INGOT, TestLab
from tests.e2e.site import eventually
from tests.e2e.ssh import ssh
from tests.integration.kubeapi import binaries


@dataclass(frozen=True)
class Cluster:
    """A cluster in a lab.

    Attributes:
        lab: where it is.
        created: how it was made.
        addresses: of nodes that have another than the lab's DHCP would give them.
    """

    lab: TestLab
    created: Created
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def directory(self) -> Path:
        return self.lab.directory

    @property
    def api_vip(self) -> str:
        return str(self.lab.plan.networks.api_vip)

    def ingot(self, *words: str, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a command in the install's directory and return how it went."""
        return subprocess.run(
            [INGOT, *words, "--dir", self.directory],
            env={**os.environ, "INGOT_STATE": str(self.lab.state)},
            check=False,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def kubectl(self, *words: str, stdin: str = "", seconds: float = 60) -> str:
        """Ask the cluster from the user's own shell."""
        done = self.try_kubectl(*words, stdin=stdin, seconds=seconds)
        assert done.returncode == 0, f"{words}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def try_kubectl(
        self, *words: str, stdin: str = "", seconds: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Ask the cluster, and return how it went."""
        program = binaries()["kubectl"]
        return subprocess.run(
            [program, f"--kubeconfig={self.directory / 'auth/kubeconfig'}", *words],
            input=stdin,
            check=False,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def get(self, *words: str) -> dict[str, Any]:
        """Return objects of the cluster."""
        found: dict[str, Any] = json.loads(self.kubectl("get", *words, "-o", "json"))
        return found

    def ssh(self, host: str, command: str, *, seconds: float = 60) -> str:
        """Run a command on a node, as root."""
        address = self.addresses.get(host, self.lab.host(host).nics[-1].address)
        key = self.directory / "lab-ssh-key"
        who, line = f"core@{address}", f"sudo sh -c {shlex.quote(command)}"
        done = ssh(self.lab.plan.namespace, key, who, line, seconds=seconds)
        assert done.returncode == 0, f"{host}: {command}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def holder(self) -> str:
        """Return the host that answers for the API's VIP."""
        return eventually(lambda: self.held_by(self.api_vip), within=60)

    def held_by(self, vip: str) -> str | None:
        """Return the host that has a VIP now."""
        power = {name: one["power"] for name, one in self.lab.status().items()}
        running = [host.name for host in self.lab.plan.hosts if power[host.name] == "on"]
        return next((name for name in running if self._has(name, vip)), None)

    def _has(self, host: str, address: str) -> bool:
        return f" {address}/" in self.ssh(host, "ip -4 -brief address")


@contextmanager
def created_cluster(
    lab: TestLab,
    *options: str,
    killed_in: Sequence[Phase] = (),
    addresses: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """Make a cluster; the lab takes everything of it away."""
    created = create_cluster(lab, *options, killed_in=killed_in)
    assert created.returncode == 0, f"{created.said}\n{_end_of_console(lab)}"
    yield Cluster(lab, created, addresses or {})


def _end_of_console(lab: TestLab) -> str:
    console = lab.home / "installs/bootstrap/console.log"
    return console.read_text(errors="replace")[-3000:] if console.exists() else "no bootstrap VM"
