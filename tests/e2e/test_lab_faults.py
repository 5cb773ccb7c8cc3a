"""Faults of disks, clock and processor, as a guest on the lab kernel sees them.

Those of cards are shown on the wire, in tests/integration/lab/faults.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.lab.faults.actuators import Actuators
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.machine.home import Home
from ingot.machine.model import Disk, MachineSpec
from ingot.machine.uml.driver import UmlDriver
from ingot.machine.uml.shim import LIBRARY, fault_shim
from ingot.osimage.cpio import write_cpio
from ingot.osimage.kernel import lab_kernel
from tests.e2e.site import eventually
from tests.integration.lab.faults.bench import entered, ip
from tests.integration.lab.faults.plans import lab_plan, no_libvirt

GUEST = Path(__file__).parent / "files/restless.c"
FIRMWARE = Path(__file__).with_name("ramdiskfirmware.py")
HOST = "restless"
NAMESPACE = f"ingot-test-faults{os.getpid()}"
SECONDS = 60.0

TURN = re.compile(
    r"turn=(\d+) read=(\d+) write=(\d+) milliseconds=(\d+) clock=(\d+)\r?\n", re.MULTILINE
)


@dataclass(frozen=True)
class Built:
    """What the machine is made of."""

    kernel: Path
    shim: Path


@dataclass(frozen=True)
class Turn:
    """How it went when the guest used its disk and looked at its clock."""

    number: int
    read: int
    write: int
    milliseconds: int
    clock: int


@dataclass(frozen=True)
class Rig:
    """A host whose guest is restless, and what makes its faults so."""

    driver: UmlDriver
    home: Home
    book: FaultBook
    actuators: Actuators

    def power_on(self) -> None:
        """Start the host, as its chassis does, and wait for the guest."""
        self.actuators.on_power_on(HOST)
        self.driver.power_on(HOST)
        self.next_turns(1)

    def power_off(self) -> None:
        self.driver.power_off(HOST)

    def give(self, kind: FaultKind, *, amount: float | None = None, seed: int = 0) -> None:
        self.book.set(Fault(host=HOST, kind=kind, amount=amount, seed=seed))

    def turns(self) -> list[Turn]:
        """Return all turns since the host was defined; numbers start over at each boot."""
        text = self.home.console.read_text(encoding="utf-8", errors="replace")
        return [Turn(*map(int, found)) for found in TURN.findall(text)]

    def next_turns(self, count: int) -> list[Turn]:
        """Return turns that began after this was called."""
        before = len(self.turns()) + 1  # One may be under way.
        try:
            eventually(lambda: len(self.turns()) >= before + count, within=SECONDS, every=0.05)
        except TimeoutError as late:
            shown = self.home.console.read_text(encoding="utf-8", errors="replace")
            raise AssertionError(f"the console ends with\n{shown[-3000:]}") from late
        return self.turns()[before : before + count]

    def states(self) -> set[str]:
        """Return the states of the machine's processes; T is stopped."""
        leader, found = self.home.process.pid(), set()
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(FileNotFoundError, ProcessLookupError):
                stat = (path / "stat").read_text(encoding="utf-8")
                words = stat.rpartition(")")[2].split()
                if leader is not None and int(words[2]) == leader:
                    found.add(words[0])
        return found


@pytest.fixture(scope="session")
def ramdisk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("restless")
    root = folder / "root"
    for name in ("dev", "proc"):
        (root / name).mkdir(parents=True)
    os.mknod(root / "dev/console", 0o020600, os.makedev(5, 1))
    subprocess.run(
        ["gcc", "-static", "-O1", "-Wall", "-Wextra", "-Werror", "-o", root / "init", GUEST],
        check=True,
    )
    write_cpio(root, folder / "guest.cpio")
    return folder / "guest.cpio"


@pytest.fixture(scope="session")
def built() -> Built:
    kernel, shim = lab_kernel(), fault_shim()
    made = {one.artefact.key: one.artefact.path for one in make(Store(), [kernel, shim], Silent())}
    return Built(made[kernel.key] / "linux", made[shim.key] / LIBRARY)


@pytest.fixture
def namespace() -> Iterator[None]:
    ip("netns", "add", NAMESPACE)
    try:
        with entered(NAMESPACE):
            yield
    finally:
        ip("netns", "delete", NAMESPACE)


@pytest.fixture
def rig(tmp_path: Path, ramdisk: Path, built: Built, namespace: None) -> Iterator[Rig]:
    del namespace  # The test runs in there.
    machines = tmp_path / "machines"
    driver = UmlDriver(
        machines,
        kernel=built.kernel,
        shim=built.shim,
        namespace_prefix=NAMESPACE,
        firmware=(sys.executable, str(FIRMWARE), str(ramdisk)),
    )
    spec = MachineSpec(
        name=HOST,
        uuid="00000000-0000-0000-0000-000000000001",
        memory_mib=64,
        disks=(Disk(size_bytes=1 << 20, serial="DISK", wwn="0x0000000000000001"),),
        nics=(),
    )
    book = FaultBook(tmp_path / "faults.json")
    actuators = Actuators(lab_plan(host=HOST), book, machines, virsh=no_libvirt)
    try:
        driver.define(spec)
        actuators.start()
        yield Rig(driver, Home(machines / HOST), book, actuators)
    finally:
        actuators.stop()
        driver.undefine(HOST)


@pytest.fixture
def running(rig: Rig) -> Rig:
    rig.power_on()
    assert [(turn.read, turn.write) for turn in rig.next_turns(3)] == [(0, 0)] * 3
    return rig


def test_disk_slow_makes_each_access_take_longer_until_it_is_cleared(running: Rig) -> None:
    running.give(FaultKind.DISK_SLOW, amount=300)
    assert all(turn.milliseconds >= 300 for turn in running.next_turns(3))
    running.book.clear(HOST)
    eventually(lambda: running.next_turns(1)[0].milliseconds < 300, within=SECONDS)


def test_disk_read_only_refuses_writes_and_not_reads_until_it_is_cleared(running: Rig) -> None:
    running.give(FaultKind.DISK_READ_ONLY)
    assert [(turn.read, turn.write) for turn in running.next_turns(5)] == [(0, errno.EIO)] * 5
    running.book.clear(HOST)
    assert [(turn.read, turn.write) for turn in running.next_turns(5)] == [(0, 0)] * 5


def test_disk_errors_fail_every_access_until_they_are_cleared(running: Rig) -> None:
    running.give(FaultKind.DISK_ERRORS)
    failed = [(turn.read, turn.write) for turn in running.next_turns(5)]
    assert failed == [(errno.EIO, errno.EIO)] * 5
    running.book.clear(HOST)
    assert [(turn.read, turn.write) for turn in running.next_turns(5)] == [(0, 0)] * 5


def test_disk_errors_strike_the_same_accesses_for_the_same_seed(rig: Rig) -> None:
    seen = {}
    for run, seed in (("one", 5), ("again", 5), ("other", 6)):
        rig.give(FaultKind.DISK_ERRORS, amount=30, seed=seed)
        before = len(rig.turns())
        rig.power_on()
        rig.next_turns(20)
        rig.power_off()
        rig.book.clear(HOST)
        seen[run] = [(turn.read, turn.write) for turn in rig.turns()[before : before + 20]]
    assert seen["one"] == seen["again"] != seen["other"]
    outcomes = [outcome for turn in seen["one"] for outcome in turn]
    assert set(outcomes) == {0, errno.EIO}


def test_clock_wrong_is_wrong_from_the_boot_on_and_right_at_the_next(rig: Rig) -> None:
    def hours_ahead() -> int:
        return round((rig.next_turns(1)[0].clock - time.time()) / 3600)

    rig.give(FaultKind.CLOCK_WRONG, amount=-8)
    rig.power_on()
    assert hours_ahead() == -8
    first, *_, last = rig.next_turns(20)
    assert last.number > first.number  # Its timers go on.
    rig.book.clear(HOST)
    assert hours_ahead() == -8
    rig.power_off()
    rig.power_on()
    assert hours_ahead() == 0


def test_cpu_starved_stops_all_of_the_machine_again_and_again_until_it_is_cleared(
    running: Rig,
) -> None:
    running.give(FaultKind.CPU_STARVED)
    for _ in range(3):
        eventually(lambda: running.states() == {"T"}, within=SECONDS, every=0.002)
        running.next_turns(1)  # It gets on all the same.
    running.book.clear(HOST)
    for _ in range(20):
        assert "T" not in running.states()
        running.next_turns(1)


def test_boot_slow_slows_the_firmware_and_the_guest_of_one_boot(rig: Rig) -> None:
    rig.book.set(Fault(host=HOST, kind=FaultKind.BOOT_SLOW, amount=10, times=1))
    rig.actuators.on_power_on(HOST)
    rig.driver.power_on(HOST)
    eventually(lambda: rig.states() == {"T"}, within=SECONDS, every=0.002)
    rig.next_turns(1)
    eventually(lambda: rig.states() == {"T"}, within=SECONDS, every=0.002)
    rig.power_off()
    rig.power_on()
    for _ in range(20):
        assert "T" not in rig.states()
        rig.next_turns(1)


def test_a_starved_machine_is_let_go_when_the_daemon_ends_and_can_be_powered_off(
    running: Rig,
) -> None:
    running.give(FaultKind.CPU_STARVED, amount=1)
    eventually(lambda: running.states() == {"T"}, within=SECONDS, every=0.002)
    running.actuators.stop()
    running.next_turns(3)
    pid = running.home.process.pid()
    assert pid is not None
    os.killpg(pid, signal.SIGSTOP)
    running.power_off()
    assert running.home.process.pid() is None


def test_a_machine_without_a_file_of_faults_runs_as_if_there_were_no_shim(rig: Rig) -> None:
    rig.home.faults.unlink()
    rig.driver.power_on(HOST)
    assert [(turn.read, turn.write) for turn in rig.next_turns(3)] == [(0, 0)] * 3
