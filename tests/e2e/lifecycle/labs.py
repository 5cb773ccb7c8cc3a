"""The lab that a test here makes, and what it asks of it."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import urllib.request
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from ingot.lab import lifecycle
from ingot.lab.chassis import PowerAction
from ingot.lab.control import Control
from ingot.lab.labs import Lab
from ingot.lab.lifecycle import Step
from ingot.lab.locking import choosing_networks
from ingot.lab.plan import LabPlan
from ingot.lab.surroundings import taken_networks
from tests.e2e.lab_traces import snapshot
from tests.e2e.site import eventually
from tests.labplans import planned

NAME = f"test-l{os.getpid()}"
OTHER = f"{NAME}-b"
CP = "cp-0"

IPMI_QUESTION = bytes.fromhex("0600ff07000000000000000000092018c88100388e04b5")
"""Which log-ins do you take? Everyone may ask (IPMI 2.0, 22.13)."""


def plan_of(name: str = NAME) -> LabPlan:
    return planned(name=name, directory=Path("/"), taken=taken_networks())


def created(name: str = NAME, *, on_step: Callable[[Step], None] = lambda _: None) -> Lab:
    """Make a lab on networks that nobody else on this PC chooses meanwhile."""
    with choosing_networks():
        return lifecycle.create(plan_of(name), on_step=on_step)


def seen(state: Path) -> dict[str, frozenset[str]]:
    """Return what there is of the lab on this PC."""
    return snapshot(state, plan_of())


def power_on(lab: Lab, host: str = CP) -> int:
    """Power a host on and return its process."""
    Control(lab.control_socket).power(host, PowerAction.ON)
    return machine(lab, host)


def machine(lab: Lab, host: str = CP) -> int:
    """Return the process of a host."""
    pid = json.loads((lab.machines / host / "process.json").read_text(encoding="utf-8"))["pid"]
    assert isinstance(pid, int)
    return pid


def kill_daemon(lab: Lab) -> None:
    pid = lab.daemon.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: lab.daemon.pid() is None, within=10, every=0.01)


def redfish(lab: Lab, host: int = 0) -> int:
    """Return how a BMC answers who trusts the lab's CA."""
    bmc = lab.plan().hosts[host].bmc
    trust = ssl.create_default_context(cafile=str(lab.bmc / "ca.pem"))
    asked = urllib.request.Request(f"https://{bmc.address}/redfish/v1/Systems")
    words = b64encode(f"{bmc.username}:{bmc.password}".encode()).decode()
    asked.add_header("Authorization", f"Basic {words}")
    with urllib.request.urlopen(asked, context=trust, timeout=30) as answer:  # noqa: S310 - https
        return int(answer.status)


def ipmi(lab: Lab, host: int = 0) -> bytes:
    """Return the first bytes of what a BMC answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(10)
        client.sendto(IPMI_QUESTION, (str(lab.plan().hosts[host].bmc.address), 623))
        return client.recv(1024)[:4]
