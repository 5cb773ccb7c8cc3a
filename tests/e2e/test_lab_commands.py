"""A user's way through a lab, by the commands alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests.e2e.lab import INGOT, TestLab, created_lab
from tests.e2e.lab_traces import snapshot
from tests.e2e.site import eventually

NOTHING_TO_BOOT = "No bootable device"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    options = ("--control-plane", "1", "--workers", "1", "--driver", "uml", "--network", "disabled")
    with created_lab(folder, *options, name=f"cmd{os.getpid()}") as created:
        yield created


@pytest.fixture
def host(lab: TestLab) -> Iterator[str]:
    name = lab.plan.hosts[0].name
    yield name
    lab.ingot("power", name, "off")


def seen_on_console(lab: TestLab, host: str) -> int:
    """Return how often the firmware has given up, in all tests so far."""
    return lab.ingot("console", host).count(NOTHING_TO_BOOT)


def wait_for_console(lab: TestLab, host: str, *, times: int) -> None:
    eventually(lambda: seen_on_console(lab, host) >= times, within=60)


def test_install_config_that_was_written_is_valid(lab: TestLab) -> None:
    said = subprocess.run(
        [INGOT, "validate", "--dir", lab.directory], check=False, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_powered_host_with_nothing_to_boot_says_so_and_stays_on(lab: TestLab, host: str) -> None:
    before = seen_on_console(lab, host)
    lab.ingot("power", host, "on")
    wait_for_console(lab, host, times=before + 1)
    seen = lab.status()[host]
    assert seen["power"] == "on"
    assert NOTHING_TO_BOOT in seen["console"]
    assert "off" not in seen["activity"]


def test_reset_starts_over_at_the_firmware(lab: TestLab, host: str) -> None:
    before = seen_on_console(lab, host)
    lab.ingot("power", host, "on")
    wait_for_console(lab, host, times=before + 1)
    lab.ingot("power", host, "reset")
    wait_for_console(lab, host, times=before + 2)


def test_command_runs_on_the_network_of_the_lab_and_its_exit_code_is_kept(lab: TestLab) -> None:
    shown = lab.ingot("exec", "--", "ip", "-br", "address", "show", "baremetal")
    assert str(lab.plan.networks.external_gateway) in shown
    assert lab.try_ingot("exec", "--", "sh", "-c", "exit 7").returncode == 7


def test_fault_is_set_listed_felt_and_cleared(lab: TestLab, host: str) -> None:
    lab.ingot("fault", "set", host, "power-ignored")
    (fault,) = json.loads(lab.ingot("fault", "list", "-o", "json"))
    assert (fault["host"], fault["kind"]) == (host, "power-ignored")
    lab.ingot("power", host, "on")
    assert lab.status()[host]["power"] == "off"
    lab.ingot("fault", "clear", host)
    lab.ingot("power", host, "on")
    assert lab.status()[host]["power"] == "on"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("power", "nobody", "on"), "nobody"),
        (("console", "nobody"), "nobody"),
        (("fault", "set", "cp-0", "bmc-slowly"), "bmc-slow"),
        (("fault", "set", "cp-0", "bmc-slow", "--rate", "2"), "rate"),
    ],
)
def test_what_does_not_exist_is_refused_with_a_remedy(
    lab: TestLab, words: tuple[str, ...], said: str
) -> None:
    done = lab.try_ingot(*words)
    assert done.returncode != 0
    assert said in done.stderr


def test_hosts_outlive_a_killed_daemon_and_are_found_again(lab: TestLab, host: str) -> None:
    lab.ingot("power", host, "on")
    daemon = json.loads((lab.home / "daemon.json").read_text(encoding="utf-8"))["pid"]
    os.kill(daemon, signal.SIGKILL)
    machine = json.loads((lab.home / "machines" / host / "process.json").read_text())["pid"]
    refused = lab.try_ingot("power", host, "off")
    assert refused.returncode != 0
    assert "ingot lab start" in refused.stderr
    lab.ingot("start")
    assert lab.status()[host]["power"] == "on"
    os.kill(machine, 0)


def test_stopped_lab_is_started_with_the_hosts_that_were_on(lab: TestLab, host: str) -> None:
    lab.ingot("power", host, "on")
    lab.ingot("stop")
    lab.ingot("start")
    powers = {name: one["power"] for name, one in lab.status().items()}
    assert powers == {name: "on" if name == host else "off" for name in powers}


def test_labs_that_are_made_at_once_have_networks_of_their_own(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    options = ("--control-plane", "1", "--workers", "0", "--driver", "uml")

    def networks_of(number: int) -> set[str]:
        folder = tmp_path_factory.mktemp(f"at-once-{number}")
        with created_lab(folder, *options, name=f"once{number}x{os.getpid()}") as made:
            barrier.wait(120)  # Both are there.
            return {str(made.plan.networks.external), str(made.plan.networks.out_of_band)}

    barrier = Barrier(2)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(networks_of, (1, 2))
    assert not first & second


def test_destroyed_lab_leaves_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("gone")
    options = ("--control-plane", "1", "--workers", "0", "--driver", "uml")
    with created_lab(folder, *options, name=f"gone{os.getpid()}") as gone:
        plan = gone.plan
        gone.ingot("power", plan.hosts[0].name, "on")
        there = snapshot(gone.state, plan)
        assert there["namespaces"]
        assert there["links"]
        assert there["processes"]
        gone.ingot("destroy")
        left = snapshot(gone.state, plan)
        assert not any(
            left[kind] for kind in ("namespaces", "resolvers", "links", "routes", "mounts")
        )
        assert not left["processes"]
        assert not left["sockets"]
        assert not (gone.home).exists()
        gone.ingot("destroy")
