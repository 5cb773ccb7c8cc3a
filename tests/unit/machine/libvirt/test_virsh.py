from __future__ import annotations

import pytest

from ingot.machine.libvirt.refusal import LibvirtRefused
from ingot.machine.libvirt.virsh import LARGEST_XML, Virsh, read_xml
from ingot.process import MissingProgram

BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize(
    ("uri", "local"),
    [
        ("qemu:///system", True),
        ("qemu:///system?socket=/run/other/libvirt-sock", True),
        ("qemu+unix:///system", True),
        ("qemu+ssh://root@far.example.com/system", False),
        ("qemu+tls://far.example.com/system", False),
        ("qemu://far.example.com/system", False),
    ],
)
def test_uri_tells_whether_libvirt_sees_our_files(uri: str, local: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert Virsh(uri).is_local is local


@pytest.mark.parametrize(
    "answer", ["", "no XML", "<a>", BOMB, "<a>" + " " * LARGEST_XML + "</a>"], ids=str.__len__
)
def test_answer_that_libvirt_would_not_write_is_refused(answer: str) -> None:
    with pytest.raises(LibvirtRefused):
        read_xml(answer)


def test_comments_are_what_libvirt_does_write() -> None:
    assert read_xml("<!-- edited by virsh --><domain/>").tag == "domain"


def test_missing_virsh_is_told_with_its_package() -> None:
    with pytest.raises(MissingProgram) as missing:
        Virsh("qemu:///system", ("virsh-of-nowhere",))("list")
    assert "libvirt-clients" in missing.value.remedy
