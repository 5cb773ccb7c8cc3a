"""A file is known for what it is before it is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.machine.firmware.kernelfile import check_kernel, kind_of
from ingot.machine.firmware.pxe import is_ipxe
from ingot.machine.firmware.target import NotBootable
from tests.unit.machine.firmware.world import PROGRAM

BZIMAGE = b"MZ".ljust(0x202, b"\0") + b"HdrS" + bytes(100)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PROGRAM, "a program"),
        (PROGRAM[:16] + b"\x01\0" + PROGRAM[18:], "of an unknown kind"),
        (BZIMAGE, "a kernel for PCs (bzImage)"),
        (b"MZ" + bytes(1000), "a program for UEFI"),
        (b"#!ipxe\nboot\n", "an iPXE script"),
        (b"\x1f\x8b\x08", "compressed by gzip"),
        (b"\n<!DOCTYPE html>", "a web page"),
        (b"", "empty"),
        (b"hello", "of an unknown kind"),
    ],
)
def test_kind_of_a_file(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "kernel"
    path.write_bytes(content)
    assert kind_of(path) == kind
    if kind == "a program":
        check_kernel(path, "it")
    else:
        with pytest.raises(NotBootable) as refused:
            check_kernel(path, "it")
        assert str(refused.value).startswith(f"it is {kind};")


@pytest.mark.parametrize(
    ("file", "is_one"),
    [
        ("undionly.kpxe", True),
        ("/tftpboot/undionly.kpxe", True),
        ("snponly.efi", True),
        ("snponly-x86_64.efi", True),
        ("ipxe.efi", True),
        ("arm64-efi/snponly.efi", True),
        ("pxelinux.0", False),
        ("ipxe/pxelinux.0", False),
        ("grubx64.efi", False),
    ],
)
def test_ipxe_is_known_by_its_name(file: str, is_one: bool) -> None:  # noqa: FBT001 - the expectation
    assert is_ipxe(file) is is_one
