"""Boot flags of IPMI mean the same as boot settings, in both directions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.lab.bmc.ipmi.bootflags import BootFlags, UnknownBootDevice, flags_of, tell
from ingot.lab.faults.book import FaultBook
from ingot.lab.hostchassis import HostChassis
from ingot.machine.model import DEFAULT_ORDER, BootMode, BootSettings, BootSource
from tests.unit.lab.memory import ManualAgenda, MemoryDriver, host_plan

NETWORK, DISK, MEDIA = BootSource.NETWORK, BootSource.DISK, BootSource.MEDIA
LEGACY, UEFI = BootMode.LEGACY, BootMode.UEFI


@pytest.fixture
def chassis(tmp_path: Path) -> HostChassis:
    return HostChassis(
        host_plan("h"),
        driver=MemoryDriver("h"),
        faults=FaultBook(tmp_path / "faults.json"),
        agenda=ManualAgenda(),
    )


@pytest.mark.parametrize(
    ("sent", "once", "order", "mode"),
    [
        pytest.param("80 04 00 00 00", NETWORK, DEFAULT_ORDER, LEGACY, id="pxe"),
        pytest.param("80 08 00 00 00", DISK, DEFAULT_ORDER, LEGACY, id="disk"),
        pytest.param("80 0c 00 00 00", DISK, DEFAULT_ORDER, LEGACY, id="safe-disk"),
        pytest.param("80 14 00 00 00", MEDIA, DEFAULT_ORDER, LEGACY, id="cdrom"),
        pytest.param("a0 04 00 00 00", NETWORK, DEFAULT_ORDER, UEFI, id="ironic-uefi-pxe"),
        pytest.param("c0 04 00 00 00", None, (NETWORK, DISK), LEGACY, id="persistent-pxe"),
        pytest.param("e0 04 00 00 00", None, (NETWORK, DISK), UEFI, id="ironic-uefi-for-good"),
        pytest.param("c0 14", None, (MEDIA, DISK, NETWORK), LEGACY, id="persistent-cdrom"),
        pytest.param("80 00 00 00 00", None, DEFAULT_ORDER, LEGACY, id="none"),
        pytest.param("80 18 00 00 00", None, DEFAULT_ORDER, LEGACY, id="setup"),
        pytest.param("00 04 00 00 00", None, DEFAULT_ORDER, LEGACY, id="not-valid"),
        pytest.param("", None, DEFAULT_ORDER, LEGACY, id="nothing"),
    ],
)
def test_flags_set_the_one_time_device_or_the_order(
    chassis: HostChassis,
    sent: str,
    once: BootSource | None,
    order: tuple[BootSource, ...],
    mode: BootMode,
) -> None:
    tell(chassis, BootFlags.parse(bytes.fromhex(sent)))
    assert chassis.boot_settings() == BootSettings(once=once, order=order, mode=mode)


def test_later_flags_replace_earlier_ones(chassis: HostChassis) -> None:
    tell(chassis, BootFlags(source=MEDIA, is_persistent=False, is_efi=True))
    tell(chassis, BootFlags(source=NETWORK, is_persistent=True, is_efi=False))
    assert chassis.boot_settings() == BootSettings(order=(NETWORK, DISK))
    tell(chassis, BootFlags(source=None, is_persistent=True, is_efi=False))
    assert chassis.boot_settings() == BootSettings()


@pytest.mark.parametrize("selector", [4, 7, 9, 15])
def test_a_device_that_no_host_has_is_refused(selector: int) -> None:
    with pytest.raises(UnknownBootDevice):
        BootFlags.parse(bytes([0x80, selector << 2]))


@given(
    once=st.sampled_from([None, *BootSource]),
    order=st.permutations(list(BootSource)).map(tuple),
    mode=st.sampled_from(BootMode),
)
def test_what_is_read_is_what_will_be_booted(
    once: BootSource | None, order: tuple[BootSource, ...], mode: BootMode
) -> None:
    flags = BootFlags.parse(flags_of(BootSettings(once=once, order=order, mode=mode)).as_bytes())
    assert flags.source is (once or order[0])
    assert flags.is_persistent is (once is None)
    assert flags.is_efi is (mode is BootMode.UEFI)


@given(source=st.sampled_from(BootSource), is_persistent=st.booleans(), is_efi=st.booleans())
def test_flags_survive_their_bytes(
    source: BootSource, *, is_persistent: bool, is_efi: bool
) -> None:
    flags = BootFlags(source=source, is_persistent=is_persistent, is_efi=is_efi)
    assert BootFlags.parse(flags.as_bytes()) == flags
