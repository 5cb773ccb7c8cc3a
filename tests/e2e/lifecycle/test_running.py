"""A lab at work: reached, killed, found again, stopped and started."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ingot.lab import lifecycle
from ingot.lab.control import Control, DaemonGone
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.labs import Lab
from ingot.machine import namespaces
from ingot.machine.model import Power
from tests.e2e.lifecycle.labs import (
    CP,
    IPMI_QUESTION,
    ipmi,
    kill_daemon,
    machine,
    power_on,
    redfish,
    seen,
)
from tests.e2e.site import call, eventually
from tests.integration.lab.sites import network_time, resolve


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
