"""Redfish's boot override against one-time device and boot order."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.bmc.redfish.bootoverride import (
    Change,
    Enabled,
    Target,
    asked,
    boot_document,
    current,
    with_first,
)
from ingot.lab.bmc.redfish.nvram import Continuous, Memory
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.machine.model import DEFAULT_ORDER, BootMode, BootSettings, BootSource

NETWORK, MEDIA, DISK = BootSource.NETWORK, BootSource.MEDIA, BootSource.DISK
ENABLED, TARGET = "BootSourceOverrideEnabled", "BootSourceOverrideTarget"
FACTORY = BootSettings()
UEFI = BootSettings(mode=BootMode.UEFI)
STAYS = Memory(continuous=Continuous(source=NETWORK, before=DEFAULT_ORDER))


@pytest.mark.parametrize(
    ("settings", "memory", "shown"),
    [
        pytest.param(FACTORY, Memory(), (Enabled.DISABLED, Target.NONE), id="none"),
        pytest.param(BootSettings(once=NETWORK), Memory(), (Enabled.ONCE, Target.PXE), id="once"),
        pytest.param(
            BootSettings(order=(NETWORK, DISK)), STAYS, (Enabled.CONTINUOUS, Target.PXE), id="stays"
        ),
        pytest.param(
            BootSettings(order=(NETWORK, DISK), once=MEDIA),
            STAYS,
            (Enabled.ONCE, Target.CD),
            id="once-before-what-stays",
        ),
        pytest.param(
            BootSettings(order=(DISK, NETWORK)),
            STAYS,
            (Enabled.DISABLED, Target.NONE),
            id="order-was-reset",
        ),
        pytest.param(
            BootSettings(order=(NETWORK, DISK)),
            Memory(),
            (Enabled.DISABLED, Target.NONE),
            id="order-of-another",
        ),
        pytest.param(
            BootSettings(once=MEDIA, media=Path("x")),
            Memory(http_boot_uri="http://x"),
            (Enabled.ONCE, Target.UEFI_HTTP),
            id="http",
        ),
    ],
)
def test_the_override_is_read_from_what_the_host_will_do(
    settings: BootSettings, memory: Memory, shown: tuple[Enabled, Target]
) -> None:
    assert current(settings, memory) == shown


@pytest.mark.parametrize(
    ("boot", "memory", "settings", "change"),
    [
        pytest.param(
            {TARGET: "Pxe", ENABLED: "Once"},
            Memory(),
            FACTORY,
            Change(enabled=Enabled.ONCE, source=NETWORK),
            id="once",
        ),
        pytest.param(
            {TARGET: "Hdd", ENABLED: "Continuous"},
            Memory(),
            FACTORY,
            Change(enabled=Enabled.CONTINUOUS, source=DISK),
            id="continuous",
        ),
        pytest.param(
            {TARGET: "Cd"},
            Memory(),
            FACTORY,
            Change(enabled=Enabled.ONCE, source=MEDIA),
            id="target-alone-is-once",
        ),
        pytest.param(
            {TARGET: "Cd"},
            STAYS,
            BootSettings(order=(NETWORK, DISK)),
            Change(enabled=Enabled.CONTINUOUS, source=MEDIA),
            id="target-alone-keeps",
        ),
        pytest.param(
            {ENABLED: "Continuous"},
            Memory(),
            BootSettings(once=NETWORK),
            Change(enabled=Enabled.CONTINUOUS, source=NETWORK),
            id="how-long-alone-keeps-the-target",
        ),
        pytest.param(
            {ENABLED: "Disabled"}, STAYS, FACTORY, Change(enabled=Enabled.DISABLED), id="disabled"
        ),
        pytest.param(
            {TARGET: "None", ENABLED: "Once"},
            Memory(),
            FACTORY,
            Change(enabled=Enabled.DISABLED),
            id="target-none",
        ),
        pytest.param(
            {"BootSourceOverrideMode": "UEFI"},
            Memory(),
            FACTORY,
            Change(mode=BootMode.UEFI),
            id="mode",
        ),
        pytest.param(
            {TARGET: "UefiHttp", ENABLED: "Once", "HttpBootUri": "http://x"},
            Memory(),
            UEFI,
            Change(enabled=Enabled.ONCE, source=MEDIA, http_boot_uri="http://x"),
            id="http",
        ),
        pytest.param(
            {TARGET: "UefiHttp", ENABLED: "Once", "HttpBootUri": None},
            Memory(),
            UEFI,
            Change(enabled=Enabled.ONCE, source=NETWORK),
            id="http-by-dhcp",
        ),
        pytest.param(
            {TARGET: "UefiHttp", ENABLED: "Once", "BootSourceOverrideMode": "UEFI"},
            Memory(),
            FACTORY,
            Change(mode=BootMode.UEFI, enabled=Enabled.ONCE, source=NETWORK),
            id="http-with-the-mode-for-it",
        ),
    ],
)
def test_what_is_asked_for_is_understood(
    boot: dict[str, object], memory: Memory, settings: BootSettings, change: Change
) -> None:
    assert asked(boot, settings, memory) == change


@pytest.mark.parametrize(
    "boot",
    [
        {TARGET: "Usb"},
        {TARGET: "UefiHttp"},
        {TARGET: 1},
        {TARGET: ["Pxe"]},
        {ENABLED: "Never"},
        {ENABLED: "Once"},
        {"BootSourceOverrideMode": "uefi"},
        {"BootNext": "1"},
    ],
)
def test_what_makes_no_sense_is_refused(boot: dict[str, object]) -> None:
    with pytest.raises(Refused) as caught:
        asked(boot, FACTORY, Memory())
    assert caught.value.status == 400


def test_only_uefi_hosts_offer_http_boot() -> None:
    key = f"{TARGET}@Redfish.AllowableValues"
    assert "UefiHttp" not in str(boot_document(FACTORY, Memory())[key])
    assert "HttpBootUri" not in boot_document(FACTORY, Memory())
    assert "UefiHttp" in str(boot_document(UEFI, Memory())[key])
    assert boot_document(UEFI, Memory())["HttpBootUri"] is None


def test_a_source_is_moved_to_the_front_and_nothing_is_lost() -> None:
    assert with_first((DISK, NETWORK), NETWORK) == (NETWORK, DISK)
    assert with_first((DISK, NETWORK), MEDIA) == (MEDIA, DISK, NETWORK)
