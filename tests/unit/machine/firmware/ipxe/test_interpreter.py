"""Scripts run as iPXE runs them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as checking
from hypothesis import strategies as st

from ingot.machine.firmware.ipxe.commands import COMMANDS
from ingot.machine.firmware.ipxe.outcome import Boot, Exit, PowerOff, Reset, Stuck
from ingot.machine.firmware.ipxe.value import Value
from tests.unit.machine.firmware.world import DISK, PROGRAM, World

FILES = {
    "http://server/kernel": PROGRAM,
    "http://server/ramdisk": b"first",
    "http://server/more": b"second",
}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["echo a  b", "echo"], ["a b", ""]),
        (["isset ${mac} && echo yes || echo no"], ["yes"]),
        (["isset ${nothing} && echo yes || echo no"], ["no"]),
        (["iseq a a && echo same ||", "echo on"], ["same", "on"]),
        (["iseq a b && echo same ||", "echo on"], ["on"]),
        (["iseq a b || echo differs", "echo on"], ["differs", "on"]),
        (["iseq a b ; echo both", "echo on"], ["both", "on"]),
        (["set a:int32 -1", "inc a", "echo ${a}", "inc a 5", "echo ${a}"], ["0", "5"]),
        (["inc fresh", "echo ${fresh}"], ["1"]),
        (["set a 09", "inc a || echo refused"], ["inc: a cannot be increased", "refused"]),
        (["set a x y", "echo ${a}", "set a", "echo ${a}."], ["x y", "."]),
        (["set a x", "clear a", "isset ${a} || echo gone"], ["gone"]),
        (["set mac x", "echo ${mac} ${net0/mac}"], ["x 52:54:00:00:00:01"]),
        (["goto on", "echo skipped", ":on", "echo here"], ["here"]),
        (["set to on", "goto ${to} && echo skipped", ":on", "echo here"], ["here"]),
        (["goto nowhere || echo no"], ["goto: no label 'nowhere'", "no"]),
        (["nonsense || echo failed"], ["nonsense: command not found", "failed"]),
        (["cpuid --ext 29 && echo 64 bits || echo 32 bits"], ["64 bits"]),
        (["cpuid --ext 30 && echo yes || echo no"], ["no"]),
        (["echo ${buildarch}"], ["i386"]),
        (["show net1/mac"], ["net1/mac = 52:54:00:00:00:02"]),
        (["show a || echo none"], ["a: not set", "none"]),
        (["time echo a"], ["a"]),
        (["set a 1 # one", "echo ${a}"], ["1"]),
    ],
)
def test_script_says(world: World, lines: list[str], said: list[str]) -> None:
    assert world.run(*lines) == Exit(0)
    assert world.said == said


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("exit", Exit(0)),
        ("exit 0", Exit(0)),
        ("exit 3", Exit(3)),
        ("exit 0x10", Exit(16)),
        ("iseq a b", Exit(1)),
        ("reboot", Reset()),
        ("poweroff", PowerOff()),
        ("shell", Stuck("the shell of iPXE waits for someone to type")),
        ("prompt", Stuck("iPXE waits for a key")),
        ("prompt --timeout 180", Exit(1)),
        ("sanboot", Exit(1)),
        ("sanboot --no-describe || exit 0", Exit(0)),
        ("sanboot iscsi:192.0.2.1::::iqn", Exit(1)),
        ("boot", Exit(1)),
        ("chain nowhere", Exit(1)),
        ("kernel --nonsense http://server/kernel", Exit(1)),
        ("kernel --timeout", Exit(1)),
        ("kernel", Exit(1)),
        ("kernel ramdisk && boot", Exit(1)),
        ("sleep", Exit(1)),
        ("sleep x", Exit(1)),
        ("goto", Exit(1)),
        ("exit x", Exit(1)),
        ("iseq a", Exit(1)),
        ("inc", Exit(1)),
        ("set", Exit(1)),
        ("set a:int32 x", Exit(1)),
        ("imgargs nothing a", Exit(1)),
        ("imgfree nothing", Exit(1)),
        ("param a b", Exit(1)),
        ("dhcp", Exit(1)),
        (":spin\ngoto spin", Stuck("a script runs in circles")),
        ("chain boot.ipxe", Stuck("a script runs in circles")),
    ],
)
def test_script_ends(world: World, line: str, outcome: object) -> None:
    world.files |= FILES
    assert world.run(line, "echo went on") == outcome
    assert "went on" not in world.said


def test_failing_line_ends_the_script_and_is_shown(world: World) -> None:
    assert world.run("iseq a b", "echo not reached") == Exit(1)
    assert world.said == ["http://server/boot.ipxe ends here with an error: iseq a b"]


def test_kernel_boots_with_its_arguments_and_all_ramdisks(world: World) -> None:
    world.files |= FILES
    outcome = world.run(
        "kernel --timeout 60000 kernel console=ttyS0 BOOTIF=${mac} initrd=ramdisk",
        "initrd ramdisk",
        "module --name other more",
        "boot",
    )
    assert isinstance(outcome, Boot)
    target = outcome.target
    assert target.kernel.read_bytes() == PROGRAM
    assert [path.read_bytes() for path in target.initrds] == [b"first", b"second"]
    assert target.arguments == ("console=ttyS0", "BOOTIF=52:54:00:00:00:01", "initrd=ramdisk")
    assert world.stalls == [None, 60.0, None, None]


def test_quotes_are_kept_as_they_are(world: World) -> None:
    world.files |= FILES
    outcome = world.run('kernel kernel sshkey="ssh-ed25519 AAAA me"', "boot")
    assert isinstance(outcome, Boot)
    assert " ".join(outcome.target.arguments) == 'sshkey="ssh-ed25519 AAAA me"'


def test_images_can_be_dropped_and_changed(world: World) -> None:
    world.files |= FILES
    outcome = world.run(
        "initrd more",
        "imgfree",
        "kernel kernel a b",
        "initrd ramdisk",
        "initrd --name third more",
        "imgfree third",
        "imgargs kernel c d",
        "imgstat",
        "boot",
    )
    assert isinstance(outcome, Boot)
    assert outcome.target.arguments == ("c", "d")
    assert len(outcome.target.initrds) == 1
    assert world.said == ["kernel: 118 bytes [selected] 'c d'", "ramdisk: 5 bytes"]


def test_kernel_can_be_chained_to(world: World) -> None:
    world.files |= FILES
    outcome = world.run("initrd ramdisk", "chain --autofree kernel a b")
    assert isinstance(outcome, Boot)
    assert outcome.target.arguments == ("a", "b")


def test_chained_script_hands_its_result_back(world: World) -> None:
    world.serve("exit ${code}", url="http://server/inner")
    assert world.run("set code 2", "chain inner || echo failed", "set code 0", "chain inner") == (
        Exit(0)
    )
    assert world.said == ["failed"]


def test_chained_script_that_replaces_does_not_return(world: World) -> None:
    world.serve("exit 2", url="http://server/inner")
    assert world.run("chain --replace inner || echo not reached") == Exit(2)
    assert world.said == []


def test_relative_urls_start_at_the_script_that_runs(world: World) -> None:
    world.serve("chain ../two/c", "echo back", url="http://server/one/a")
    world.serve("chain /d || chain tftp://other/e", url="http://server/two/c")
    world.serve("chain f || exit 0", url="tftp://other/e")
    assert world.run("chain one/a") == Exit(0)
    assert world.fetched[1:] == [
        "http://server/one/a",
        "http://server/two/c",
        "http://server/d",
        "tftp://other/e",
        "tftp://other/f",
    ]
    assert world.said[-1] == "back"


def test_form_is_sent_with_a_url(world: World) -> None:
    world.serve("echo here", url="http://server/form")
    world.run("params --name a", "param --params a x ${mac}", "chain form##params=a")
    assert world.forms == [{"x": "52:54:00:00:00:01"}]
    assert world.fetched[-1] == "http://server/form"


def test_local_disk_is_booted(world: World) -> None:
    world.disk = DISK
    assert world.run("sanboot --no-describe --drive 0x80") == Boot(DISK)


def test_dhcp_teaches_settings(world: World) -> None:
    world.lease = {"next-server": Value.of("192.0.2.1", "ipv4"), "hostname": Value.of("host-0")}
    world.run("dhcp", "echo ${next-server} ${net0/hostname}", "ifstat", "route", "ifopen net0")
    assert world.said[0] == "192.0.2.1 host-0"


def test_what_dhcp_names_is_booted(world: World) -> None:
    world.lease = {
        "next-server": Value.of("192.0.2.1", "ipv4"),
        "filename": Value.of("scripts/first"),
    }
    world.serve("echo found", url="tftp://192.0.2.1/scripts/first")
    assert world.run("autoboot") == Exit(0)
    assert world.said == ["found"]


def test_script_waits(world: World) -> None:
    world.run("sleep 3", "prompt --timeout 1500 Press a key || echo nobody")
    assert world.waited == [3, 1.5]
    assert world.said == ["Press a key", "nobody"]


def test_loop_that_waits_may_go_on_for_long(world: World) -> None:
    lines = [":again", "inc i", "sleep 1", "iseq ${i} 5000 && exit 7 ||", "goto again"]
    assert world.run(*lines) == Exit(7)


@checking(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                [*COMMANDS, "||", "&&", ";", "#", "a", "${a}", "--timeout", "1", "kernel", ":x"]
            ),
            max_size=8,
        ).map(" ".join),
        max_size=12,
    )
)
def test_any_script_comes_to_an_end(world: World, lines: list[str]) -> None:
    world.files |= FILES
    assert isinstance(world.run(*lines), Boot | Exit | PowerOff | Reset | Stuck)
