"""The wizard, driven by keys on a real terminal."""

from __future__ import annotations

import os
import re
import select
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest

from ingot.config.draft import Draft
from ingot.config.loading import load
from ingot.config.model import InstallConfig, ProvisioningNetwork
from ingot.config.secret import Secret, SecretSource
from ingot.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
from ingot.errors import IngotError
from ingot.ui.wizard import run
try:
    run(Path(sys.argv[1]))
except IngotError as error:
    print("error:", error.what, "|", error.remedy)
    sys.exit(error.exit_code)
"""
PATIENCE = 60
ENTER, DOWN, CLEAR, CTRL_C, CTRL_D = "\r", "\x1b[B", "\x15", "\x03", "\x04"
PASSWORD = "hunter2-and-more"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Person:
    """Somebody at a terminal of 80 columns, who reads a question before answering it."""

    def __init__(self, directory: Path, home: Path) -> None:
        self.screen = pexpect.spawn(
            sys.executable,
            ["-c", PROGRAM, str(directory)],
            env={**os.environ, "HOME": str(home), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(24, 80),
        )
        self.directory = directory
        self.seen = ""

    def sees(self, text: str) -> None:
        """Wait until a text is shown."""
        self.screen.expect_exact(text)
        self.seen += str(self.screen.before) + str(self.screen.after)

    def answers(self, question: str, text: str = "") -> None:
        """Answer a question, or take what is suggested."""
        self.sees(f" {question} ")
        self.screen.send((CLEAR + text if text else "") + ENTER)

    def chooses(self, question: str, *, down: int = 0) -> None:
        """Choose with the arrow keys."""
        self.sees(f" {question} ")
        self.sees("(arrow keys, then Enter)")
        self.screen.send(DOWN * down + ENTER)

    def tries(self, question: str, text: str, *, refused: str) -> None:
        """Answer badly, see why that is refused, and clear the line."""
        self.answers(question, text)
        self.sees(refused)
        self.screen.send(CLEAR)

    def corrects(self, text: str) -> None:
        """Answer the question that is still there."""
        self.screen.send(CLEAR + text + ENTER)

    def leaves(self) -> int:
        """Wait for the end and return the exit code."""
        self.screen.expect(pexpect.EOF)
        self.seen += str(self.screen.before)
        self.screen.close()
        status = self.screen.exitstatus
        assert status is not None, f"killed by signal {self.screen.signalstatus}"
        return int(status)

    def names_the_cluster(self) -> None:
        self.answers("Name", "rack1")
        self.answers("Base domain", "example.com")

    def gives_the_network(self) -> None:
        self.answers("Machine network", "192.0.2.0/24")
        self.answers("Virtual IP of the API", "192.0.2.5")
        self.answers("Virtual IP of ingress")

    def counts_servers(self, *, masters: int, workers: int) -> None:
        self.chooses("SSH key for logging in", down=1)  # none
        self.chooses("Control-plane servers", down={3: 0, 1: 1, 5: 2}[masters])
        self.answers("Workers", str(workers))

    def describes_the_first_host(self, bmc: str) -> None:
        self.sees("server 1 of")
        self.answers("Name")
        self.answers("BMC address", bmc)
        self.answers("BMC user")
        self.chooses("BMC password", down=1)
        self.answers("Password", PASSWORD)
        self.answers("Boot MAC address", "52:54:00:00:00:10")

    def describes_another_host(self, heading: str, mac: str) -> None:
        self.sees(heading)
        self.answers("Name")
        self.answers("BMC address")
        self.answers("BMC user")
        self.chooses("BMC password")
        self.answers("Boot MAC address", mac)

    def describes_everything(self) -> None:
        """Answer all there is for a small cluster."""
        self.names_the_cluster()
        self.gives_the_network()
        self.chooses("Provisioning network", down=2)
        self.answers("This host's bridge to the machine network")
        self.chooses("Address of the bootstrap VM")
        self.counts_servers(masters=1, workers=0)
        self.describes_the_first_host("redfish-virtualmedia://198.51.100.10/redfish/v1/Systems/1")

    def writes_it(self) -> None:
        self.chooses("All right?")


@pytest.fixture
def sit_down(tmp_path: Path) -> Iterator[Callable[[], Person]]:
    """Return how a person sits down at the wizard; more than once in the same directory."""
    people: list[Person] = []
    (tmp_path / "home").mkdir()

    def sit() -> Person:
        people.append(Person(tmp_path / "rack1", tmp_path / "home"))
        return people[-1]

    yield sit
    for person in people:
        person.screen.close(force=True)


def written(person: Person) -> InstallConfig:
    loaded = load((person.directory / "install-config.yaml").read_bytes())
    assert loaded.report.errors == []
    assert loaded.config is not None
    return loaded.config


def kept(person: Person) -> Draft:
    return Draft.from_json((person.directory / ".ingot" / "wizard.json").read_bytes())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_managed_network_is_asked_for_and_written(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.names_the_cluster()
    person.gives_the_network()
    person.chooses("Provisioning network")
    person.answers("Its network")
    person.answers("This host's bridge to it", "prov0")
    person.answers("Addresses for DHCP to hand out")
    person.answers("This host's bridge to the machine network")
    person.counts_servers(masters=3, workers=1)
    person.describes_the_first_host("redfish://198.51.100.10/redfish/v1/Systems/1")
    person.describes_another_host("server 2 of 3", "52:54:00:00:00:11")
    person.describes_another_host("server 3 of 3", "52:54:00:00:00:12")
    person.describes_another_host("Worker 1 of 1", "52:54:00:00:00:20")
    person.writes_it()
    person.sees("ingot validate")
    assert person.leaves() == ExitCode.OK
    platform = written(person).baremetal
    assert platform.provisioning_network is ProvisioningNetwork.MANAGED
    assert platform.provisioning_bridge == "prov0"
    assert str(platform.provisioning_dhcp_range) == "172.22.0.10,172.22.0.254"
    assert [str(vip) for vip in platform.ingress_vips] == ["192.0.2.6"]
    assert [host.name for host in platform.hosts] == ["cp-0", "cp-1", "cp-2", "worker-0"]
    addresses = [host.bmc.address.host for host in platform.hosts if host.bmc.address]
    assert addresses == [f"198.51.100.{number}" for number in (10, 11, 12, 13)]
    assert {host.bmc.password for host in platform.hosts} == {Secret(SecretSource.INLINE, PASSWORD)}


def test_an_unmanaged_network_is_asked_for_and_written(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.names_the_cluster()
    person.gives_the_network()
    person.chooses("Provisioning network", down=1)
    person.answers("Its network", "198.18.0.0/24")
    person.answers("This host's bridge to it")
    person.answers("This host's bridge to the machine network")
    person.counts_servers(masters=1, workers=0)
    person.sees("server 1 of 1")
    person.answers("Name")
    person.answers("BMC address", "ipmi://198.51.100.10")
    person.answers("BMC user", "root")
    person.chooses("BMC password")
    person.answers("Name of the variable", "RACK_PASSWORD")
    person.answers("Boot MAC address", "52:54:00:00:00:10")
    person.writes_it()
    assert person.leaves() == ExitCode.OK
    platform = written(person).baremetal
    assert platform.provisioning_network is ProvisioningNetwork.UNMANAGED
    assert str(platform.provisioning_network_cidr) == "198.18.0.0/24"
    assert platform.hosts[0].bmc.password == Secret(SecretSource.ENV, "RACK_PASSWORD")


def test_no_network_and_a_static_bootstrap_are_asked_for_and_written(
    sit_down: Callable[[], Person],
) -> None:
    person = sit_down()
    person.names_the_cluster()
    person.gives_the_network()
    person.chooses("Provisioning network", down=2)
    person.answers("This host's bridge to the machine network")
    person.chooses("Address of the bootstrap VM", down=1)
    person.answers("The bootstrap VM's address", "192.0.2.9")
    person.answers("Its gateway")
    person.answers("Its name server")
    person.counts_servers(masters=1, workers=0)
    person.describes_the_first_host("redfish-virtualmedia://198.51.100.10/redfish/v1/Systems/1")
    person.writes_it()
    assert person.leaves() == ExitCode.OK
    platform = written(person).baremetal
    assert platform.provisioning_network is ProvisioningNetwork.DISABLED
    assert str(platform.bootstrap_external_static_ip) == "192.0.2.9"
    assert str(platform.bootstrap_external_static_gateway) == "192.0.2.1"
    assert str(platform.bootstrap_external_static_dns) == "192.0.2.1"


def test_a_public_key_is_found_and_offered(sit_down: Callable[[], Person], tmp_path: Path) -> None:
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJd6Y0VT2bYlKyxMfNcgl2nsQ4zXLnmgGmTlWzHiUKyG me@x"
    (tmp_path / "home" / ".ssh").mkdir()
    (tmp_path / "home" / ".ssh" / "broken.pub").write_text("nothing\n")
    (tmp_path / "home" / ".ssh" / "id_ed25519.pub").write_text(f"{key}\n")
    person = sit_down()
    person.names_the_cluster()
    person.gives_the_network()
    person.chooses("Provisioning network", down=2)
    person.answers("This host's bridge to the machine network")
    person.chooses("Address of the bootstrap VM")
    person.sees("id_ed25519.pub")
    person.screen.send(ENTER)
    person.sees("Control-plane servers")
    assert kept(person).ssh_key == key
    assert "broken" not in person.seen


def test_bad_answers_are_refused_with_the_reason(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.tries("Name", "rack.1", refused="dot")
    person.corrects("rack1")
    person.answers("Base domain", "example.com")
    person.tries("Machine network", "192.0.2.1/24", refused="192.0.2.0/24")
    person.corrects("192.0.2.0/24")
    person.tries("Virtual IP of the API", "198.51.100.5", refused="machine network")
    person.corrects("192.0.2.5")
    person.tries("Virtual IP of ingress", "192.0.2.5", refused="apiVIPs")
    assert kept(person).ingress_vip is None
    person.corrects("192.0.2.6")
    person.chooses("Provisioning network", down=2)
    person.answers("This host's bridge to the machine network")
    person.chooses("Address of the bootstrap VM")
    person.chooses("SSH key for logging in", down=1)
    person.chooses("Control-plane servers", down=1)
    person.tries("Workers", "two", refused="whole number")
    person.corrects("0")
    person.sees("server 1 of 1")
    person.answers("Name")
    person.tries("BMC address", "ipmi://198.51.100.10", refused="Disabled")


def test_an_interrupted_run_continues_where_it_stopped(sit_down: Callable[[], Person]) -> None:
    first = sit_down()
    first.names_the_cluster()
    first.gives_the_network()
    first.sees("Provisioning network")
    first.screen.send(CTRL_C)
    assert first.leaves() == ExitCode.INTERRUPTED
    assert "kept in" in ESCAPES.sub("", first.seen)
    assert "ingot create install-config --dir" in ESCAPES.sub("", first.seen)

    second = sit_down()
    second.sees("192.0.2.6")
    second.chooses("An earlier run was stopped")
    second.chooses("Provisioning network", down=2)
    second.answers("This host's bridge to the machine network")
    second.chooses("Address of the bootstrap VM")
    second.counts_servers(masters=1, workers=0)
    second.describes_the_first_host("redfish-virtualmedia://198.51.100.10/redfish/v1/Systems/1")
    second.writes_it()
    assert second.leaves() == ExitCode.OK
    config = written(second)
    assert config.cluster_domain == "rack1.example.com"
    assert [str(vip) for vip in config.baremetal.api_vips] == ["192.0.2.5"]
    assert not (second.directory / ".ingot" / "wizard.json").exists()


def test_an_interrupted_run_can_be_forgotten(sit_down: Callable[[], Person]) -> None:
    first = sit_down()
    first.names_the_cluster()
    first.sees("Machine network")
    first.screen.send(CTRL_C)
    first.leaves()
    second = sit_down()
    second.chooses("An earlier run was stopped", down=2)
    second.answers("Name", "rack2")
    second.sees("Base domain")
    assert kept(second) == Draft(cluster_name="rack2")


def test_a_changed_network_asks_for_the_vips_again(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.describes_everything()
    person.chooses("All right?", down=1)
    person.chooses("Change", down=1)
    person.answers("Machine network", "198.18.0.0/24")
    person.answers("Virtual IP of the API", "198.18.0.5")
    person.answers("Virtual IP of ingress")
    person.writes_it()
    assert person.leaves() == ExitCode.OK
    vips = written(person).baremetal
    assert [str(vip) for vip in (*vips.api_vips, *vips.ingress_vips)] == [
        "198.18.0.5",
        "198.18.0.6",
    ]


def test_a_changed_mode_asks_what_it_needs_and_what_no_longer_fits(
    sit_down: Callable[[], Person],
) -> None:
    first = sit_down()
    first.names_the_cluster()
    first.gives_the_network()
    first.chooses("Provisioning network", down=1)
    first.answers("Its network")
    first.answers("This host's bridge to it")
    first.answers("This host's bridge to the machine network")
    first.counts_servers(masters=1, workers=0)
    first.describes_the_first_host("ipmi://198.51.100.10")
    first.chooses("All right?", down=1)
    first.chooses("Change", down=2)
    first.chooses("Provisioning network", down=1)  # from Unmanaged to Disabled
    first.answers("This host's bridge to the machine network")
    first.chooses("Address of the bootstrap VM")
    first.sees("This no longer fits")
    first.answers("BMC address", "redfish-virtualmedia://198.51.100.10/redfish/v1/Systems/1")
    first.writes_it()
    assert first.leaves() == ExitCode.OK
    assert written(first).baremetal.provisioning_network is ProvisioningNetwork.DISABLED


def test_stopping_at_the_summary_keeps_everything(sit_down: Callable[[], Person]) -> None:
    first = sit_down()
    first.describes_everything()
    first.chooses("All right?", down=2)
    assert first.leaves() == ExitCode.INTERRUPTED
    assert not (first.directory / "install-config.yaml").exists()
    second = sit_down()
    second.chooses("An earlier run was stopped")
    second.writes_it()
    assert second.leaves() == ExitCode.OK
    assert written(second).baremetal.hosts[0].name == "cp-0"


def test_a_password_is_never_shown(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.describes_everything()
    person.writes_it()
    assert person.leaves() == ExitCode.OK
    assert PASSWORD not in person.seen
    assert PASSWORD in (person.directory / "install-config.yaml").read_text()


def test_only_the_owner_can_read_what_may_hold_a_password(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.describes_everything()
    person.sees("All right?")
    assert mode(person.directory / ".ingot") == 0o700
    assert mode(person.directory / ".ingot" / "wizard.json") == 0o600
    person.screen.send(ENTER)
    assert person.leaves() == ExitCode.OK
    assert mode(person.directory / "install-config.yaml") == 0o600
    assert sorted(path.name for path in person.directory.iterdir()) == [
        ".ingot",
        "install-config.yaml",
    ]


def test_an_existing_file_is_overwritten_after_a_yes_only(
    sit_down: Callable[[], Person], tmp_path: Path
) -> None:
    path = tmp_path / "rack1" / "install-config.yaml"
    path.parent.mkdir()
    path.write_text("mine\n")
    person = sit_down()
    person.sees("That file exists")
    person.describes_everything()
    person.writes_it()
    person.answers("install-config.yaml exists. Overwrite it?")
    person.sees("Summary")
    assert path.read_text() == "mine\n"
    person.writes_it()
    person.sees("Overwrite it?")
    person.screen.send("y")
    assert person.leaves() == ExitCode.OK
    assert written(person).metadata.name == "rack1"


def test_a_polite_kill_keeps_the_answers(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.names_the_cluster()
    person.sees("Machine network")
    person.screen.kill(signal.SIGTERM)
    assert person.leaves() == ExitCode.INTERRUPTED
    assert kept(person) == Draft(cluster_name="rack1", base_domain="example.com")


def test_the_end_of_input_keeps_the_answers(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.names_the_cluster()
    person.sees("Machine network")
    person.screen.send(CTRL_D)
    assert person.leaves() == ExitCode.INTERRUPTED
    assert kept(person) == Draft(cluster_name="rack1", base_domain="example.com")


def test_a_closed_terminal_keeps_the_answers_and_ends_the_wizard(
    sit_down: Callable[[], Person],
) -> None:
    person = sit_down()
    person.names_the_cluster()
    person.sees("Machine network")
    assert person.screen.pid is not None
    process = os.pidfd_open(person.screen.pid)
    try:
        with open(os.devnull, "wb") as nothing:  # noqa: PTH123 - a descriptor is wanted
            os.dup2(nothing.fileno(), person.screen.child_fd)  # closes our end of the terminal
        ended, _, _ = select.select([process], [], [], PATIENCE)
    finally:
        os.close(process)
    assert ended
    assert kept(person) == Draft(cluster_name="rack1", base_domain="example.com")


def test_nothing_is_left_behind_without_an_answer(sit_down: Callable[[], Person]) -> None:
    person = sit_down()
    person.sees("Name")
    person.screen.send(CTRL_C)
    assert person.leaves() == ExitCode.INTERRUPTED
    assert not (person.directory / ".ingot" / "wizard.json").exists()


def test_unreadable_answers_are_put_aside(sit_down: Callable[[], Person], tmp_path: Path) -> None:
    folder = tmp_path / "rack1" / ".ingot"
    folder.mkdir(parents=True)
    (folder / "wizard.json").write_text("{ half")
    person = sit_down()
    person.sees("Name")
    assert (folder / "wizard.unreadable").read_text() == "{ half"


def test_a_directory_that_cannot_be_written_is_said_before_the_first_question(
    sit_down: Callable[[], Person], tmp_path: Path
) -> None:
    (tmp_path / "rack1").write_text("a file, not a directory")
    person = sit_down()
    assert person.leaves() == ExitCode.OTHER
    assert "cannot be written" in ESCAPES.sub("", person.seen)


def test_without_a_terminal_a_sample_is_recommended(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert done.returncode == ExitCode.OTHER
    assert "--example" in done.stdout
    assert list(tmp_path.iterdir()) == []
