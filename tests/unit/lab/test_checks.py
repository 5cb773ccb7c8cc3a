"""What this PC must have for a lab, told before anything is made."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from ingot.lab.checks import NotFit, check_fit, memory_needed, unfit
from ingot.lab.surroundings import Pc, kvm_is_usable
from ingot.lab.words import DriverKind
from tests.unit.lab.descriptions import planned

GB = 1_000_000_000
FIT = Pc(
    is_root=True,
    has_tun=True,
    libraries=(),
    memory_bytes=100 * GB,
    disk_bytes=500 * GB,
    disk=Path("/var/lib"),
)


def reasons(pc: Pc) -> list[str]:
    return [f"{one.what}; {one.remedy}" for one in unfit(planned(), pc)]


def test_a_pc_with_everything_is_fit() -> None:
    assert reasons(FIT) == []


@pytest.mark.parametrize(
    ("pc", "words"),
    [
        (replace(FIT, is_root=False), "with sudo"),
        (replace(FIT, has_tun=False), "no /dev/net/tun"),
        (replace(FIT, libraries=("sushy_tools",)), "not installed: sushy_tools"),
        (replace(FIT, memory_bytes=6 * GB), "need about 6.2 GB of memory"),
        (replace(FIT, disk_bytes=10 * GB), "write about 18.0 GB"),
        (
            replace(FIT, used=(("other", IPv4Network("192.168.111.0/25")),)),
            "overlaps 192.168.111.0/25 of the lab 'other'",
        ),
    ],
    ids=["root", "tun", "libraries", "memory", "disk", "networks"],
)
def test_what_is_missing_is_told(pc: Pc, words: str) -> None:
    (reason,) = reasons(pc)
    assert words in reason


def test_fault_that_a_host_cannot_have_is_told() -> None:
    lab = planned(
        """\
        hosts:
          - {name: a, role: control-plane, driver: libvirt, faults: [{kind: disk-errors}]}
        """
    )
    (reason,) = unfit(lab, FIT)
    assert "disk-errors is not available on a" in reason.what


def test_everything_that_is_missing_is_told_at_once() -> None:
    pc = replace(FIT, is_root=False, has_tun=False, memory_bytes=0)
    with pytest.raises(NotFit) as refused:
        check_fit(planned(), pc)
    told = f"error: {refused.value.what}\n       {refused.value.remedy}"
    assert told.count("error: ") == 3
    assert "sudo" in told
    assert "modprobe tun" in told
    assert "fewer hosts" in told


def test_uml_hosts_are_held_to_take_half_of_their_memory() -> None:
    lab = planned("defaults: {memoryMiB: 2048}", control_plane=1, workers=1)
    assert memory_needed(lab) == 2048 << 20


def test_libvirt_hosts_are_held_to_take_all_of_it() -> None:
    lab = planned(driver=DriverKind.LIBVIRT, control_plane=1, workers=0)
    assert memory_needed(lab) == 4096 << 20


def test_spares_and_hosts_elsewhere_take_nothing_of_this_pc() -> None:
    lab = planned(
        """\
        hosts:
          - {name: a, role: control-plane, driver: libvirt, libvirtURI: 'qemu+ssh://b/system'}
          - {name: b, role: spare}
        """
    )
    assert memory_needed(lab) == 0


def test_kvm_needs_more_than_a_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "kvm").touch()
    assert not kvm_is_usable(tmp_path / "kvm")
    assert not kvm_is_usable(tmp_path / "absent")
