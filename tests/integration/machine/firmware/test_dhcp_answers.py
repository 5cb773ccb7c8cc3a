"""A machine meets DHCP servers that are not for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.machine.model import BootSource
from tests.integration.machine.firmware.conftest import Booting
from tests.integration.machine.firmware.provisioning import SERVER, provisioning


@pytest.mark.parametrize(
    ("boot", "said"),
    [
        ("", f"the DHCP server {SERVER} named no boot file"),
        ("dhcp-boot=pxelinux.0", f"tftp://{SERVER}/pxelinux.0: file"),
        ("dhcp-boot=other.0", "the boot file other.0 is not iPXE"),
        ("dhcp-boot=undionly.kpxe", "undionly.kpxe is of an unknown kind"),
        (
            f"dhcp-option=66,{SERVER}\ndhcp-option=67,undionly.kpxe",
            "undionly.kpxe is of an unknown",
        ),
        ("dhcp-boot=undionly.kpxe,,192.0.2.1", "tftp://192.0.2.1/undionly.kpxe"),
    ],
)
def test_what_is_offered_and_does_not_boot_is_said(
    booting: Booting, tmp_path: Path, boot: str, said: str
) -> None:
    with provisioning(tmp_path / "served", boot=boot) as server:
        (server.tftp / "other.0").write_bytes(b"another boot loader")
        assert said in booting.fails(BootSource.NETWORK)
