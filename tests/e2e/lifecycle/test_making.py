"""Making a lab: side by side, refused, interrupted or killed on the way."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from ingot.errors import ExitCode
from ingot.lab import lifecycle
from ingot.lab.daemon.telling import DaemonFailed
from ingot.lab.labs import Lab
from ingot.lab.lifecycle import LabExists, Step
from ingot.lab.locking import choosing_networks
from ingot.lab.networks import NetworkTaken
from ingot.machine import namespaces
from tests.e2e.lifecycle.labs import NAME, OTHER, created, plan_of, redfish, seen


def test_two_labs_live_side_by_side(lab: Lab) -> None:
    other = created(OTHER)
    assert redfish(lab) == redfish(other) == 200
    lifecycle.destroy(lab.name)
    assert not lab.exists
    assert redfish(other) == 200


def test_a_name_that_is_taken_is_refused(lab: Lab) -> None:
    with pytest.raises(LabExists):
        lifecycle.create(plan_of())
    assert redfish(lab) == 200


def test_networks_that_are_taken_are_refused_before_anything_is_made(lab: Lab, state: Path) -> None:
    before = seen(state)
    taken = plan_of(OTHER).model_copy(update={"networks": lab.plan().networks})
    with pytest.raises(NetworkTaken):
        lifecycle.create(taken)
    assert seen(state) == before


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.POWER])
def test_a_creation_that_is_interrupted_leaves_nothing(state: Path, step: Step) -> None:
    before = seen(state)

    def interrupt(reached: Step) -> None:
        if reached is step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        created(on_step=interrupt)
    assert seen(state) == before


KILLED = """
import os, pathlib, signal, sys
from ingot.lab import lifecycle
from ingot.lab.plan import LabPlan
def die(reached):
    if reached.name == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
lifecycle.create(LabPlan.model_validate_json(pathlib.Path(sys.argv[1]).read_bytes()), on_step=die)
"""


def kill_creation(folder: Path, step: Step) -> None:
    """Have someone make the lab and be killed on the way."""
    plan = folder / "plan.json"
    with choosing_networks():
        plan.write_text(plan_of().model_dump_json(), encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", KILLED, plan, step.name], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.POWER])
def test_a_creation_that_is_killed_is_removed_by_destroy(
    state: Path, tmp_path: Path, step: Step
) -> None:
    before = seen(state)
    kill_creation(tmp_path, step)
    if step is not Step.PLAN:
        assert Lab(NAME).exists
    lifecycle.destroy(NAME)
    left = seen(state)
    # Before the plan there is no lab, and so none to destroy; its lock is nobody's.
    assert {**left, "files": frozenset()} == {**before, "files": frozenset()}
    assert not [name for name in left["files"] if not name.endswith((".lock", "/labs"))]


def test_a_creation_that_was_killed_is_finished_by_start(state: Path, tmp_path: Path) -> None:
    del state
    kill_creation(tmp_path, Step.HOSTS)
    lab = Lab(NAME)
    lifecycle.start(lab)
    assert redfish(lab) == 200


def test_why_a_daemon_does_not_start_reaches_the_user_and_nothing_is_left(state: Path) -> None:
    before = seen(state)

    def take_the_port_of_a_bmc(reached: Step) -> None:
        def take() -> socket.socket:
            listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            listening.bind((str(address), 623))
            return listening

        if reached is Step.DAEMON:
            taken.enter_context(namespaces.inside(plan.namespace, take))

    with ExitStack() as taken, choosing_networks():
        plan = plan_of()
        address = plan.hosts[1].bmc.address
        with pytest.raises(DaemonFailed, match=f"cannot listen on {address}, UDP") as failed:
            lifecycle.create(plan, on_step=take_the_port_of_a_bmc)
    assert "nothing else uses it" in failed.value.remedy
    assert failed.value.exit_code is ExitCode.INFRASTRUCTURE
    assert seen(state) == before
