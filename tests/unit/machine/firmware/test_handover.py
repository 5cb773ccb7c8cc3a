"""The command line of a kernel is made of hardware, and of what came with the boot."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.machine.firmware.handover import (
    CommandLine,
    command_line,
    environment,
    joined_initrd,
)
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.home import Home, Parts, uml_dir
from ingot.machine.model import BootSource, Disk, MacAddress, MachineSpec, Nic

HOME = Home(Path("/machines/host-0"))
SPEC = MachineSpec(
    name="host-0",
    uuid="8f5c9a52-3f0e-4f0f-8b7e-0a1b2c3d4e5f",
    memory_mib=2048,
    disks=tuple(Disk(size_bytes=1, serial=f"S{n}", wwn="0x0") for n in range(2)),
    nics=tuple(
        Nic(mac=MacAddress(f"52:54:00:00:00:0{n}"), bridge="b", port=f"p{n}") for n in range(2)
    ),
    drives=(Path("/config-2.iso"),),
)


def line(*arguments: str, media: Path | None = None, initrd: Path | None = None) -> CommandLine:
    target = Target(source=BootSource.DISK, kernel=Path("/linux"), arguments=arguments)
    return command_line(HOME, SPEC, target, initrd=initrd, media=media)


def test_hardware_is_complete() -> None:
    words = line(media=Path("/media/a.iso"), initrd=HOME.path / "boot/1-initrd").words
    assert words == (
        "mem=2048M",
        "ubd0=disk0.img,,S0",
        "ubd1=disk1.img,,S1",
        "ubd2r=/config-2.iso",
        "ubd3r=/media/a.iso",
        "vec0:transport=tap,ifname=p0,depth=128,gro=1,mac=52:54:00:00:00:00",
        "vec1:transport=tap,ifname=p1,depth=128,gro=1,mac=52:54:00:00:00:01",
        "umid=host-0",
        f"uml_dir={uml_dir(HOME)}",
        "seccomp=on",
        "bonding.max_bonds=0",
        "dummy.numdummies=0",
        "con=null",
        "ssl=null",
        "con0=null,fd:1",
        "initrd=boot/1-initrd",
    )


@pytest.mark.parametrize(
    "argument",
    [
        "BOOTIF=52:54:00:00:00:01",
        "ip=dhcp",
        "ip=192.0.2.2::192.0.2.1:255.255.255.0:host:eth0:off",
        "root=PARTUUID=1f0a6b1e-6f2d-4a0e-9d35-1b6c8e2f4a03",
        "root=/dev/ram0",
        "console=tty0",
        "rw",
        "quiet",
        "text",
        'sshkey="ssh-ed25519',
        "ipa-api-url=http://172.22.0.2:6385,http://[fd00::1]:6385",
        "systemd.journald.forward_to_console=yes",
        "memory=1",
        "init=/bin/sh",
        "connect=1",
    ],
)
def test_arguments_of_the_boot_come_last_and_unchanged(argument: str) -> None:
    made = line("first", argument, "last")
    assert made.words[-3:] == ("first", argument, "last")
    assert made.dropped == ()


@pytest.mark.parametrize(
    "argument",
    [
        "initrd=deploy_ramdisk", "mem=64M", "ubd0=/etc/passwd", "ubd1r=/x", "vec0:transport=raw",
        "con1=xterm", "con=pty", "ssl0=pty", "umid=other", "uml_dir=/", "seccomp=off", "--",
        "--help", "mconsole=notify:/x", "hostfs=/", "noreboot", "iomem=x,/y",
    ],
)  # fmt: skip
def test_arguments_that_look_like_hardware_are_left_out(argument: str) -> None:
    made = line("first", argument, "last")
    assert made.dropped == (argument,)
    assert made.words[-2:] == ("first", "last")


@pytest.mark.parametrize(
    ("arguments", "recorded"),
    [
        ((), "con0"),
        (("console=tty0",), "con0"),
        (("console=ttyS0",), "ssl0"),
        (("console=ttyS0,115200n8", "console=tty0"), "ssl0"),
        (("console=ttyS0", "console=ttyS1,115200"), "ssl1"),
        (("console=ttyAMA0",), "con0"),
    ],
)
def test_one_console_is_recorded(arguments: tuple[str, ...], recorded: str) -> None:
    shown = [word for word in line(*arguments).words if word.endswith("=null,fd:1")]
    assert shown == [f"{recorded}=null,fd:1"]


@pytest.mark.parametrize("name", ["/a,b.iso", "/a:b.iso", "/a b.iso"])
def test_file_that_the_kernel_would_split_is_refused(name: str) -> None:
    with pytest.raises(NotBootable, match="cannot be attached"):
        line(media=Path(name))


def test_too_long_a_line_is_refused() -> None:
    with pytest.raises(NotBootable, match="the kernel takes 2047"):
        line("x" * 2000)


def test_ramdisks_are_joined_at_multiples_of_four(tmp_path: Path) -> None:
    parts = [tmp_path / str(number) for number in range(3)]
    for part, content in zip(parts, (b"12345", b"abcd", b"z"), strict=True):
        part.write_bytes(content)
    joined = joined_initrd(parts, tmp_path / "joined")
    assert joined
    assert joined.read_bytes() == b"12345\0\0\0abcdz"


def test_single_ramdisk_is_taken_as_it_is(tmp_path: Path) -> None:
    assert joined_initrd([tmp_path / "one"], tmp_path / "joined") == tmp_path / "one"
    assert joined_initrd([], tmp_path / "joined") is None


def test_kernel_meets_the_shim_where_there_is_one() -> None:
    parts = Parts(kernel=Path("/linux"), shim=Path("/shim.so"), namespace="n")
    assert environment(HOME, parts, {"A": "b"}) == {
        "A": "b",
        "LD_PRELOAD": "/shim.so",
        "INGOT_FAULTS": "/machines/host-0/faults.bin",
    }


def test_kernel_is_alone_where_there_is_no_shim() -> None:
    parts = Parts(kernel=Path("/linux"), shim=None, namespace="n")
    assert environment(HOME, parts, {"LD_PRELOAD": "/old.so", "INGOT_FAULTS": "/old"}) == {}
