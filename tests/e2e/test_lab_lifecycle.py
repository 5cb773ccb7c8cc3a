"""A lab from nothing to nothing: made, reached, killed, found again, stopped, and removed."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ingot.errors import ExitCode
from ingot.lab import lifecycle, namespaces
from ingot.lab.chassis import PowerAction
from ingot.lab.control import Control, DaemonGone
from ingot.lab.daemon.telling import DaemonFailed
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.labs import Lab
from ingot.lab.lifecycle import LabExists, Step
from ingot.lab.networks import NetworkTaken
from ingot.lab.plan import LabPlan
from ingot.lab.surroundings import taken_networks
from ingot.lab.traces import InsideLab
from ingot.machine.model import Power
from tests.e2e.lab_traces import snapshot
from tests.e2e.site import call, eventually
from tests.integration.lab.sites import network_time, resolve
from tests.labplans import planned

NAME = f"test-l{os.getpid()}"
OTHER = f"{NAME}-b"
CP = "cp-0"

IPMI_QUESTION = bytes.fromhex("0600ff07000000000000000000092018c88100388e04b5")
"""Which log-ins do you take? Everyone may ask (IPMI 2.0, 22.13)."""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for labs; whatever a test leaves there is removed after it."""
    place = tmp_path / "state"
    monkeypatch.setenv("INGOT_STATE", str(place))
    yield place
    for name in (NAME, OTHER):
        lifecycle.destroy(name)


def plan_of(name: str = NAME) -> LabPlan:
    return planned(name=name, directory=Path("/"), taken=taken_networks())


def seen(state: Path) -> dict[str, frozenset[str]]:
    return snapshot(state, plan_of())


@pytest.fixture
def lab(state: Path) -> Lab:
    del state
    return lifecycle.create(plan_of())


def power_on(lab: Lab, host: str = CP) -> int:
    """Power a host on and return its process."""
    Control(lab.control_socket).power(host, PowerAction.ON)
    return machine(lab, host)


def machine(lab: Lab, host: str = CP) -> int:
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


def test_every_bmc_answers_from_the_user_s_shell_and_on_the_lab_s_network(lab: Lab) -> None:
    for host in (0, 1):
        assert redfish(lab, host) == 200
        assert ipmi(lab, host) == IPMI_QUESTION[:4]
        assert namespaces.inside(lab.plan().namespace, lambda host=host: redfish(lab, host)) == 200  # type: ignore[misc]  # bound at once


def test_names_resolve_and_time_is_told(lab: Lab) -> None:
    plan = lab.plan()
    gateway = plan.networks.external_gateway
    api = f"api.{plan.cluster_name}.{plan.base_domain}"
    assert resolve(api, gateway) == str(plan.networks.api_vip)
    assert network_time(gateway)[0] == 8
    found = call("ip", "netns", "exec", plan.namespace, "getent", "hosts", CP)
    assert found.split()[0] == str(plan.hosts[0].nics[-1].address)


def test_hosts_begin_off_and_show_what_they_do(lab: Lab) -> None:
    control = Control(lab.control_socket)
    assert {host.power for host in control.status().hosts} == {Power.OFF}
    power_on(lab)
    shown = eventually(lambda: control.status().hosts[0].console or None, within=30, every=0.1)
    assert shown.startswith("[")
    assert control.status().hosts[0].power is Power.ON


def test_a_killed_daemon_leaves_hosts_running_and_the_next_finds_them(lab: Lab) -> None:
    before = power_on(lab)
    kill_daemon(lab)
    with pytest.raises(DaemonGone):
        Control(lab.control_socket).status()
    lifecycle.start(lab)
    assert machine(lab) == before
    assert Control(lab.control_socket).status().hosts[0].power is Power.ON
    assert redfish(lab) == 200


def test_a_daemon_that_is_asked_to_end_leaves_hosts_running(lab: Lab) -> None:
    before = power_on(lab)
    lab.daemon.stop()
    assert not lab.control_socket.exists()
    lifecycle.start(lab)
    assert machine(lab) == before
    assert Control(lab.control_socket).status().hosts[0].power is Power.ON


def test_faults_outlive_the_daemon(lab: Lab) -> None:
    fault = Fault(host=CP, kind=FaultKind.BMC_SLOW, amount=1)
    Control(lab.control_socket).set_fault(fault)
    kill_daemon(lab)
    lifecycle.start(lab)
    assert [one.kind for one in Control(lab.control_socket).faults()] == [FaultKind.BMC_SLOW]


def test_starting_a_lab_that_runs_changes_nothing(lab: Lab) -> None:
    daemon, host = lab.daemon.pid(), power_on(lab)
    lifecycle.start(lab)
    assert (lab.daemon.pid(), machine(lab)) == (daemon, host)


def test_a_stopped_lab_has_no_process_and_starts_with_the_hosts_that_were_on(
    lab: Lab, state: Path
) -> None:
    power_on(lab)
    lifecycle.stop(lab)
    assert not seen(state)["processes"]
    lifecycle.stop(lab)
    lifecycle.start(lab)
    status = Control(lab.control_socket).status()
    assert [host.power for host in status.hosts] == [Power.ON, Power.OFF]


def test_a_lab_whose_daemon_was_killed_can_be_stopped(lab: Lab, state: Path) -> None:
    power_on(lab)
    kill_daemon(lab)
    lifecycle.stop(lab)
    assert not seen(state)["processes"]


def test_a_service_that_is_killed_is_started_again(lab: Lab) -> None:
    plan = lab.plan()
    gateway = plan.networks.external_gateway
    api = f"api.{plan.cluster_name}.{plan.base_domain}"
    os.kill(json.loads((lab.home / "dnsmasq.json").read_text(encoding="utf-8"))["pid"], 9)

    def answered() -> bool:
        try:
            return resolve(api, gateway) is not None
        except OSError:
            return False

    eventually(answered, within=30)


def test_two_labs_live_side_by_side(lab: Lab) -> None:
    other = lifecycle.create(plan_of(OTHER))
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


def test_destroying_leaves_nothing(state: Path) -> None:
    before = seen(state)
    lab = lifecycle.create(plan_of())
    power_on(lab)
    assert all(seen(state).values())
    assert lifecycle.destroy(NAME)
    assert seen(state) == before
    assert not state.exists()
    assert not lifecycle.destroy(NAME)


def test_destroying_after_a_crash_leaves_nothing(state: Path) -> None:
    before = seen(state)
    lab = lifecycle.create(plan_of())
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
    lose_everything_but_files(lab)
    lifecycle.start(lab)
    status = Control(lab.control_socket).status()
    assert [host.power for host in status.hosts] == [Power.OFF, Power.OFF]
    assert redfish(lab) == 200
    power_on(lab)


def test_after_a_reboot_a_lab_can_be_destroyed(state: Path) -> None:
    before = seen(state)
    lab = lifecycle.create(plan_of())
    power_on(lab)
    lose_everything_but_files(lab)
    lifecycle.destroy(NAME)
    assert seen(state) == before


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.POWER])
def test_a_creation_that_is_interrupted_leaves_nothing(state: Path, step: Step) -> None:
    before = seen(state)

    def interrupt(reached: Step) -> None:
        if reached is step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lifecycle.create(plan_of(), on_step=interrupt)
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


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.POWER])
def test_a_creation_that_is_killed_is_removed_by_destroy(
    state: Path, tmp_path: Path, step: Step
) -> None:
    before = seen(state)
    plan = tmp_path / "plan.json"
    plan.write_text(plan_of().model_dump_json(), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", KILLED, plan, step.name], check=False)
    assert done.returncode == -signal.SIGKILL
    if step is not Step.PLAN:
        assert Lab(NAME).exists
    lifecycle.destroy(NAME)
    left = seen(state)
    # Before the plan there is no lab, and so none to destroy; its lock is nobody's.
    assert {**left, "files": frozenset()} == {**before, "files": frozenset()}
    assert not [name for name in left["files"] if not name.endswith((".lock", "/labs"))]


def test_a_creation_that_was_killed_is_finished_by_start(state: Path, tmp_path: Path) -> None:
    del state
    plan = tmp_path / "plan.json"
    plan.write_text(plan_of().model_dump_json(), encoding="utf-8")
    subprocess.run([sys.executable, "-c", KILLED, plan, Step.HOSTS.name], check=False)
    lab = Lab(NAME)
    lifecycle.start(lab)
    assert redfish(lab) == 200


def test_two_who_destroy_at_once_both_succeed(state: Path) -> None:
    before = seen(state)
    lifecycle.create(plan_of())
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


def test_why_a_daemon_does_not_start_reaches_the_user_and_nothing_is_left(state: Path) -> None:
    before = seen(state)
    plan = plan_of()
    address = plan.hosts[1].bmc.address
    taken = []

    def take_the_port_of_a_bmc(reached: Step) -> None:
        def take() -> socket.socket:
            listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            listening.bind((str(address), 623))
            return listening

        if reached is Step.DAEMON:
            taken.append(namespaces.inside(plan.namespace, take))

    try:
        with pytest.raises(DaemonFailed, match=f"cannot listen on {address}, UDP") as failed:
            lifecycle.create(plan, on_step=take_the_port_of_a_bmc)
    finally:
        for one in taken:
            one.close()
    assert "nothing else uses it" in failed.value.remedy
    assert failed.value.exit_code is ExitCode.INFRASTRUCTURE
    assert seen(state) == before
