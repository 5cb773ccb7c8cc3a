"""Losing a lab, by a reboot or because it is destroyed: it comes back whole, or nothing is left."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ingot.lab import lifecycle
from ingot.lab.control import Control
from ingot.lab.labs import Lab
from ingot.lab.locking import choosing_networks
from ingot.lab.traces import InsideLab
from ingot.machine import namespaces
from ingot.machine.model import Power
from tests.e2e.lifecycle.labs import NAME, created, kill_daemon, power_on, redfish, seen
from tests.e2e.site import call


def test_destroying_leaves_nothing(state: Path) -> None:
    before = seen(state)
    lab = created()
    power_on(lab)
    assert all(seen(state).values())
    assert lifecycle.destroy(NAME)
    assert seen(state) == before
    assert not state.exists()
    assert not lifecycle.destroy(NAME)


def test_destroying_after_a_crash_leaves_nothing(state: Path) -> None:
    before = seen(state)
    lab = created()
    power_on(lab)
    kill_daemon(lab)
    lifecycle.destroy(NAME)
    assert seen(state) == before


def lose_everything_but_files(lab: Lab) -> None:
    """Do what a reboot does: no process, no namespace, no link is left."""
    plan = lab.plan()
    every = [plan.namespace, *(f"{plan.namespace}.host-{host.name}" for host in plan.hosts)]
    namespaces.end_processes(every)
    call("ip", "link", "delete", plan.networks.uplink)
    for namespace in every:
        call("ip", "netns", "delete", namespace)


def test_after_a_reboot_a_lab_can_be_started(lab: Lab) -> None:
    power_on(lab)
    with choosing_networks():  # While it is gone, others would take its networks.
        lose_everything_but_files(lab)
        lifecycle.start(lab)
    status = Control(lab.control_socket).status()
    assert [host.power for host in status.hosts] == [Power.OFF, Power.OFF]
    assert redfish(lab) == 200
    power_on(lab)


def test_after_a_reboot_a_lab_can_be_destroyed(state: Path) -> None:
    before = seen(state)
    lab = created()
    power_on(lab)
    lose_everything_but_files(lab)
    lifecycle.destroy(NAME)
    assert seen(state) == before


def test_two_who_destroy_at_once_both_succeed(state: Path) -> None:
    before = seen(state)
    created()
    with ThreadPoolExecutor(2) as hands:
        for done in [hands.submit(lifecycle.destroy, NAME) for _ in range(2)]:
            done.result()
    assert seen(state) == before


def test_a_lab_is_not_destroyed_from_its_own_network(lab: Lab) -> None:
    done = subprocess.run(
        [
            *("ip", "netns", "exec", lab.plan().namespace, sys.executable, "-c"),
            "import sys; from ingot.lab import lifecycle; lifecycle.destroy(sys.argv[1])",
            lab.name,
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    assert InsideLab.__name__ in done.stderr
    assert redfish(lab) == 200
