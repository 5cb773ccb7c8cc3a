"""Commands and daemon understand each other, over a real socket, whatever goes wrong."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingot.errors import ExitCode
from ingot.lab.chassis import PowerAction
from ingot.lab.control import Control, DaemonGone, Refused, socket_address
from ingot.lab.daemon.answering import Answering
from ingot.lab.daemon.hosts import Hosts
from ingot.lab.daemon.server import ControlServer
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.hostchassis import HostChassis
from ingot.lab.messages import MAX_REQUEST
from ingot.lab.poweredhosts import PoweredHosts
from ingot.machine.driver import MachineError
from ingot.machine.model import Power
from tests.labplans import planned
from tests.unit.lab.memory import ManualAgenda, MemoryDriver

CP, WORKER = "cp-0", "worker-0"


@pytest.fixture
def driver() -> MemoryDriver:
    return MemoryDriver(CP, WORKER)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    # Deeper than the path of a socket may be long.
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    return deep / "control.sock"


@pytest.fixture
def server(tmp_path: Path, path: Path, driver: MemoryDriver) -> Iterator[ControlServer]:
    plan = planned()
    faults = FaultBook(tmp_path / "faults.json")
    hosts = Hosts(
        plan=plan,
        drivers={host.name: driver for host in plan.hosts},
        chassis={
            host.name: HostChassis(host, driver=driver, faults=faults, agenda=ManualAgenda())
            for host in plan.hosts
        },
        faults=faults,
    )
    made = ControlServer(path, Answering(hosts, PoweredHosts(tmp_path)).answer)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def control(server: ControlServer, path: Path) -> Control:
    del server
    return Control(path, patience=30)


def test_the_status_of_every_host_is_told(control: Control) -> None:
    status = control.status()
    assert status.running
    assert [host.name for host in status.hosts] == [CP, WORKER]


def test_power_goes_through_the_chassis(control: Control, driver: MemoryDriver) -> None:
    control.power(CP, PowerAction.ON)
    assert driver.power(CP) is Power.ON
    assert driver.power(WORKER) is Power.OFF


def test_faults_are_set_listed_and_cleared(control: Control) -> None:
    for host in (CP, WORKER):
        control.set_fault(Fault(host=host, kind=FaultKind.BMC_SLOW, amount=3))
    control.set_fault(Fault(host=CP, kind=FaultKind.BMC_500))
    assert [fault.kind for fault in control.faults(CP)] == ["bmc-500", "bmc-slow"]
    assert len(control.faults()) == 3
    cleared = control.clear_faults(None, FaultKind.BMC_SLOW)
    assert [(fault.host, fault.amount) for fault in cleared] == [(CP, 3), (WORKER, 3)]
    assert [fault.kind for fault in control.clear_faults(CP)] == ["bmc-500"]
    assert control.faults() == ()


def test_shutting_down_remembers_who_was_on_even_with_faults(
    control: Control, driver: MemoryDriver, tmp_path: Path
) -> None:
    control.power(WORKER, PowerAction.ON)
    control.set_fault(Fault(host=WORKER, kind=FaultKind.POWER_IGNORED))
    control.shut_down()
    assert driver.power(WORKER) is Power.OFF
    assert PoweredHosts(tmp_path).remembered() == (WORKER,)


@pytest.mark.parametrize(
    "ask",
    [
        lambda control: control.power("cp-9", PowerAction.ON),
        lambda control: control.set_fault(Fault(host="cp-9", kind=FaultKind.BMC_500)),
        lambda control: control.faults("cp-9"),
        lambda control: control.clear_faults("cp-9"),
    ],
    ids=["power", "set a fault", "list faults", "clear faults"],
)
def test_a_host_that_does_not_exist_is_refused_by_name(
    control: Control, ask: Callable[[Control], object]
) -> None:
    with pytest.raises(Refused, match="no host 'cp-9'") as refused:
        ask(control)
    assert refused.value.remedy == f"those that exist: {CP}, {WORKER}"
    assert refused.value.exit_code is ExitCode.USAGE


def test_a_machine_that_fails_tells_why(control: Control, driver: MemoryDriver) -> None:
    driver.fails = MachineError("there is no kernel", remedy="build one")
    with pytest.raises(Refused, match="there is no kernel") as refused:
        control.power(CP, PowerAction.ON)
    assert refused.value.remedy == "build one"
    assert refused.value.exit_code is ExitCode.INFRASTRUCTURE


def test_an_unforeseen_error_fails_one_request_alone(
    control: Control, driver: MemoryDriver
) -> None:
    driver.fails = ZeroDivisionError("a defect")
    with pytest.raises(Refused, match="unforeseen ZeroDivisionError"):
        control.shut_down()
    assert control.is_answering()


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    "sent",
    [
        b"\n",
        b"not json\n",
        b'{"do": "dance"}\n',
        b'{"do": "power", "host": "cp-0", "action": "Explode"}\n',
        b'{"do": "ping", "and": "more"}\n',
        b"\xff\xfe\n",
        b"x" * (MAX_REQUEST + 1),
    ],
)
def test_a_bad_request_is_answered_by_an_error(path: Path, sent: bytes) -> None:
    answer = _raw(path, sent)
    assert set(answer["error"]) == {"what", "remedy", "exit_code"}


@pytest.mark.usefixtures("server")
def test_several_requests_can_share_a_connection(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as talk, socket_address(path) as address:
        talk.settimeout(30)
        talk.connect(address)
        with talk.makefile("rwb") as lines:
            for _ in range(3):
                lines.write(b'{"do": "ping"}\n')
                lines.flush()
                assert json.loads(lines.readline())["error"] is None


@pytest.mark.usefixtures("server")
def test_only_the_owner_may_connect(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_socket_goes_when_the_server_stops(
    server: ControlServer, control: Control, path: Path
) -> None:
    server.stop()
    assert not path.exists()
    with pytest.raises(DaemonGone) as gone:
        control.status()
    assert "ingot lab start" in gone.value.remedy


def test_a_socket_left_by_a_killed_daemon_means_that_it_is_gone(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead, socket_address(path) as address:
        dead.bind(address)
    assert not Control(path).is_answering()


def test_a_daemon_that_hangs_is_not_waited_for_for_ever(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as hanging, socket_address(path) as address:
        hanging.bind(address)
        hanging.listen()
        with pytest.raises(DaemonGone, match="has not answered within"):
            Control(path, patience=0.01).status()


def _raw(path: Path, sent: bytes) -> dict[str, dict[str, object]]:
    with socket.socket(socket.AF_UNIX) as talk, socket_address(path) as address:
        talk.settimeout(30)
        talk.connect(address)
        talk.sendall(sent)
        with talk.makefile("rb") as lines:
            answer: dict[str, dict[str, object]] = json.loads(lines.readline())
            return answer
