"""ipmitool, as Ironic runs it, against real BMCs on addresses of this machine."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from ingot.lab.bmc.ipmi.server import AddressUnavailable, IpmiBmcs
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.hostchassis import HostChassis
from ingot.machine.model import BootMode, BootSource, Power
from tests.unit.lab.memory import InterruptingDriver, Machine, host_plan

HOSTS = tuple(f"host-{number}" for number in range(10))
FIRST, SECOND = HOSTS[:2]


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Time:
    """What the BMCs take for the time."""

    now: float = 0.0


@dataclass
class Site:
    """Ten hosts with their BMCs."""

    bmcs: IpmiBmcs
    book: FaultBook
    driver: InterruptingDriver
    chassis: dict[str, HostChassis]
    port: int
    time: Time

    def run(self, host: str, *words: str, password: str | None = None) -> tuple[int, str]:
        """Run ipmitool once and return its exit code and what it wrote."""
        bmc = self.chassis[host].plan.bmc
        whom = ["-I", "lanplus", "-H", str(bmc.address), "-p", str(self.port)]
        whom += ["-U", bmc.username, "-P", password or bmc.password]
        # One packet a second, and no patience with a BMC that does not answer.
        done = subprocess.run(
            ["ipmitool", *whom, "-R", "1", "-N", "1", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout + done.stderr

    def ok(self, host: str, command: str) -> str:
        # A machine with other work may keep it waiting, as no BMC of ours means to.
        code, output = self.run(host, "-R", "10", *command.split())
        assert code == 0, output
        return output

    def machine(self, host: str) -> Machine:
        return self.driver.all[host]

    def fault(self, host: str, kind: FaultKind, **details: float) -> None:
        self.book.set(Fault(host=host, kind=kind, **details))  # type: ignore[arg-type] # as given


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    book = FaultBook(tmp_path / "faults.json")
    driver = InterruptingDriver(*HOSTS)
    chassis = {
        name: HostChassis(
            host_plan(name, address=f"127.0.62.{number + 1}", number=number + 1),
            driver=driver,
            faults=book,
        )
        for number, name in enumerate(HOSTS)
    }
    time = Time()
    port = free_port()
    bmcs = IpmiBmcs(
        tuple(chassis.values()),
        faults=book,
        port=port,
        clock=lambda: time.now,
    )
    bmcs.start()
    yield Site(bmcs, book, driver, chassis, port, time)
    bmcs.stop()
    for each in chassis.values():
        each.close()
    assert [t.name for t in threading.enumerate() if t.name.startswith(("ipmi", "chassis"))] == []


# ---------------------------------------------------------------- commands


def test_power_status_is_worded_as_ironic_reads_it(site: Site) -> None:
    assert site.ok(FIRST, "power status") == "Chassis Power is off\n"
    site.machine(FIRST).power = Power.ON
    assert site.ok(FIRST, "power status") == "Chassis Power is on\n"


def test_each_power_command_does_what_it_says(site: Site) -> None:
    machine = site.machine(FIRST)
    assert "Up/On" in site.ok(FIRST, "power on")
    assert (machine.power, len(machine.starts)) == (Power.ON, 1)
    assert "Reset" in site.ok(FIRST, "power reset")
    assert (machine.power, machine.resets) == (Power.ON, 1)
    assert "Cycle" in site.ok(FIRST, "power cycle")
    assert (machine.power, len(machine.starts)) == (Power.ON, 3)
    assert "Diag" in site.ok(FIRST, "power diag")
    assert site.driver.interrupted == [FIRST]
    assert "Soft" in site.ok(FIRST, "power soft")
    assert (machine.power, machine.presses) == (Power.OFF, 1)
    site.ok(FIRST, "power on")
    assert "Down/Off" in site.ok(FIRST, "power off")
    assert machine.power is Power.OFF


@pytest.mark.parametrize(
    ("command", "selector", "scope", "once", "first"),
    [
        ("pxe", "Force PXE", "only next boot", BootSource.NETWORK, BootSource.DISK),
        ("disk", "default Hard-Drive", "only next boot", BootSource.DISK, BootSource.DISK),
        ("cdrom", "CD/DVD", "only next boot", BootSource.MEDIA, BootSource.DISK),
        ("pxe options=persistent", "Force PXE", "all future boots", None, BootSource.NETWORK),
        ("none", "default Hard-Drive", "all future boots", None, BootSource.DISK),
        ("bios", "default Hard-Drive", "all future boots", None, BootSource.DISK),
    ],
)
def test_a_boot_device_is_set_and_read_back(
    site: Site, command: str, selector: str, scope: str, once: BootSource | None, first: BootSource
) -> None:
    site.ok(FIRST, f"chassis bootdev {command}")
    told = site.machine(FIRST).settings
    assert (told.once, told.order[0], told.mode) == (once, first, BootMode.LEGACY)
    read = site.ok(FIRST, "chassis bootparam get 5")
    assert f"Boot Device Selector : Force Boot from {selector}\n" in read or (
        f"Boot Device Selector : {selector}\n" in read
    )
    assert f"Options apply to {scope}" in read


def test_a_boot_device_for_efi_is_set_and_read_back(site: Site) -> None:
    site.ok(FIRST, "chassis bootdev pxe options=efiboot,persistent")
    assert site.machine(FIRST).settings.mode is BootMode.UEFI
    read = site.ok(FIRST, "chassis bootparam get 5")
    assert "BIOS EFI boot" in read
    assert "Options apply to all future boots" in read


def test_the_raw_words_of_ironic_set_a_boot_device(site: Site) -> None:
    site.ok(FIRST, "raw 0x00 0x08 0x03 0x08")
    site.ok(FIRST, "raw 0x00 0x08 0x05 0xa0 0x04 0x00 0x00 0x00")
    told = site.machine(FIRST).settings
    assert (told.once, told.mode) == (BootSource.NETWORK, BootMode.UEFI)
    site.ok(FIRST, "raw 0x00 0x08 0x05 0xe0 0x08 0x00 0x00 0x00")
    told = site.machine(FIRST).settings
    assert (told.once, told.order[0], told.mode) == (None, BootSource.DISK, BootMode.UEFI)


def test_what_is_set_elsewhere_is_seen_here(site: Site) -> None:
    site.chassis[FIRST].set_boot_once(BootSource.MEDIA)
    assert "CD/DVD" in site.ok(FIRST, "chassis bootparam get 5")


def test_identify_switches_the_light(site: Site) -> None:
    site.ok(FIRST, "chassis identify force")
    assert site.chassis[FIRST].is_identified()
    site.ok(FIRST, "chassis identify 0")
    assert not site.chassis[FIRST].is_identified()
    site.ok(FIRST, "chassis identify 200")
    assert site.chassis[FIRST].is_identified()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("mc info", "IPMI Version              : 2.0"),
        ("mc guid", "1b1d6b4e-5d1f-4b0c-9a52-000000000001"),
        ("mc selftest", "Selftest: passed"),
        ("mc reset cold", "Sent cold reset command to MC"),
        ("mc reset warm", "Sent warm reset command to MC"),
        ("chassis status", "System Power         : off"),
        ("sel list", "SEL has no entries"),
        ("sel info", "Entries          : 0"),
        ("sdr list all", "BMC"),
        ("sdr -v", "cipher suite 17"),
        ("-C 3 power status", "Chassis Power is off"),
        ("-C 17 power status", "Chassis Power is off"),
        ("-L USER power status", "Chassis Power is off"),
        ("-L OPERATOR power on", "Up/On"),
    ],
)
def test_ipmitool_is_content_with(site: Site, command: str, shown: str) -> None:
    assert shown in site.ok(FIRST, command)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("-L USER power on", "Insufficient privilege level"),
        ("-C 1 power status", "no matching cipher suite"),
        ("sol deactivate", "Invalid command"),
        ("lan print 1", "Invalid command"),
        ("raw 0x00 0x08 0x05 0x80 0x3c 0x00 0x00 0x00", "Invalid data field"),
    ],
)
def test_ipmitool_is_told_no(site: Site, command: str, shown: str) -> None:
    code, output = site.run(FIRST, *command.split())
    assert code == 1
    assert shown in output


def test_sessions_are_closed_after_each_command(site: Site) -> None:
    site.ok(FIRST, "power status")
    assert site.bmcs.sessions(FIRST) == 0


def test_log_ins_that_were_left_are_forgotten(site: Site) -> None:
    site.run(FIRST, "power", "status", password="wrong")
    assert site.bmcs.sessions(FIRST) == 1  # ipmitool goes without a word.
    site.time.now += 21
    site.ok(FIRST, "power status")
    assert site.bmcs.sessions(FIRST) == 0


# ---------------------------------------------------------------- log-ins


def test_wrong_credentials_are_refused(site: Site) -> None:
    for words in ((), ("-U", "root")):
        code, output = site.run(FIRST, *words, "power", "on", password="wrong")
        assert code == 1
        assert "Unable to establish IPMI v2 / RMCP+ session" in output
    assert site.machine(FIRST).power is Power.OFF


def test_too_many_wrong_log_ins_lock_this_bmc_alone_for_a_while(site: Site) -> None:
    for _ in range(5):
        site.run(FIRST, "power", "status", password="wrong")
        site.time.now += 2
    assert site.run(FIRST, "power", "status")[0] == 1
    assert site.run(SECOND, "power", "status")[0] == 0
    site.time.now += 61
    assert site.run(FIRST, "power", "status")[0] == 0


# ---------------------------------------------------------------- faults


def test_packets_are_lost_until_the_fault_is_cleared(site: Site) -> None:
    site.fault(FIRST, FaultKind.IPMI_LOSS)
    assert site.run(FIRST, "power", "on")[0] == 1
    assert site.machine(FIRST).power is Power.OFF
    assert site.run(SECOND, "power", "on")[0] == 0
    site.book.clear(FIRST)
    assert site.run(FIRST, "power", "on")[0] == 0


def test_ipmitool_gets_through_when_a_few_packets_are_lost(site: Site) -> None:
    site.fault(FIRST, FaultKind.IPMI_LOSS, rate=0.2, seed=3)
    assert "Up/On" in site.run(FIRST, "-R", "5", "power", "on")[1]
    (fault,) = site.book.faults(FIRST)
    assert 0 < fault.struck < fault.seen


def test_a_frozen_bmc_answers_nothing_until_the_fault_is_cleared(site: Site) -> None:
    site.fault(FIRST, FaultKind.IPMI_FROZEN, after=20)
    answered = [site.run(FIRST, "power", "status")[0] == 0 for _ in range(4)]
    assert answered == sorted(answered, reverse=True)
    assert (answered[0], answered[-1]) == (True, False)
    assert site.run(FIRST, "mc", "reset", "cold")[0] == 1
    site.book.clear(FIRST, FaultKind.IPMI_FROZEN)
    assert site.run(FIRST, "power", "status")[0] == 0


def test_a_frozen_bmc_answers_again_after_a_reset_from_elsewhere(site: Site) -> None:
    site.fault(FIRST, FaultKind.IPMI_FROZEN)
    assert site.run(FIRST, "power", "status")[0] == 1
    site.bmcs.reset(FIRST)
    assert site.run(FIRST, "power", "status")[0] == 0


@pytest.mark.parametrize(
    ("kind", "command", "reported"),
    [
        (FaultKind.POWER_IGNORED, "power on", "off"),
        (FaultKind.POWER_LATE, "power on", "off"),
        (FaultKind.POWER_WRONG, "power on", "off"),
    ],
)
def test_faults_of_power_are_seen_through_ipmi(
    site: Site, kind: FaultKind, command: str, reported: str
) -> None:
    site.fault(FIRST, kind, times=1)
    site.ok(FIRST, command)
    assert site.ok(FIRST, "power status") == f"Chassis Power is {reported}\n"
    site.book.clear(FIRST)
    is_on = kind is not FaultKind.POWER_IGNORED
    assert (site.machine(FIRST).power is Power.ON) is is_on


def test_a_forgotten_boot_override_is_seen_through_ipmi(site: Site) -> None:
    site.fault(FIRST, FaultKind.BOOT_OVERRIDE_FORGOTTEN, times=1)
    site.ok(FIRST, "chassis bootdev pxe")
    assert "Hard-Drive" in site.ok(FIRST, "chassis bootparam get 5")
    site.ok(FIRST, "chassis bootdev pxe")
    assert "PXE" in site.ok(FIRST, "chassis bootparam get 5")


# ---------------------------------------------------------------- many, and strange ones


def test_two_hosts_side_by_side_are_two(site: Site) -> None:
    site.ok(FIRST, "power on")
    site.ok(SECOND, "chassis bootdev pxe")
    assert (site.machine(FIRST).power, site.machine(SECOND).power) == (Power.ON, Power.OFF)
    assert site.machine(FIRST).settings.once is None
    assert site.machine(SECOND).settings.once is BootSource.NETWORK


def test_ten_bmcs_serve_ten_clients_at_once(site: Site) -> None:
    commands = ("chassis bootdev pxe", "power on", "power status", "mc info") * 3

    def work(host: str) -> list[str]:
        return [site.ok(host, command) for command in commands]

    with ThreadPoolExecutor(len(HOSTS)) as pool:
        answers = list(pool.map(work, HOSTS))
    assert all(answer[2] == "Chassis Power is on\n" for answer in answers)
    assert all(machine.power is Power.ON for machine in site.driver.all.values())
    assert [site.bmcs.sessions(host) for host in HOSTS] == [0] * len(HOSTS)


def test_ten_clients_at_once_share_one_bmc(site: Site) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: site.ok(FIRST, "power status"), range(30)))
    assert set(answers) == {"Chassis Power is off\n"}


def test_packets_without_sense_do_not_disturb_a_bmc(site: Site) -> None:
    random = Random(785)  # noqa: S311 - the same ones in each run
    starts = (b"", b"\6\0\xff\7", b"\6\0\xff\7\6\x10", b"\6\0\xff\7\6\x12", b"\6\0\xff\7\0")
    target = str(site.chassis[FIRST].plan.bmc.address), site.port
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for _ in range(2000):
            packet = random.choice(starts) + random.randbytes(random.randint(0, 120))
            stranger.sendto(packet, target)
    assert "off" in site.run(FIRST, "-R", "5", "power", "status")[1]


def test_an_address_in_use_is_named_and_nothing_is_left_listening(site: Site) -> None:
    second = IpmiBmcs(tuple(site.chassis.values()), faults=site.book, port=site.port)
    with pytest.raises(AddressUnavailable) as caught:
        second.start()
    assert f"the BMC of {FIRST} cannot listen on 127.0.62.1" in caught.value.what
    second.stop()
    assert site.run(FIRST, "power", "status")[0] == 0


def test_bmcs_can_be_stopped_and_started_again(site: Site) -> None:
    site.bmcs.stop()
    assert site.run(FIRST, "power", "status")[0] == 1
    site.bmcs.start()
    assert site.run(FIRST, "power", "status")[0] == 0
