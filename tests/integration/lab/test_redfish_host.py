"""What a Redfish client does to a host: power, what it boots, and BIOS settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sushy
from sushy.exceptions import BadRequestError

from ingot.machine.model import DEFAULT_ORDER, BootMode, BootSource, Power
from tests.integration.lab.redfish_bench import (
    FIRST,
    Bench,
    ImageServer,
    bench,
    image_server,
)

IMAGE = os.urandom(1_500_000)


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


@pytest.fixture
def images() -> Iterator[ImageServer]:
    with image_server(IMAGE) as server:
        yield server


# ---------------------------------------------------------------- power


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        (sushy.ResetType.ON, Power.OFF, Power.ON),
        (sushy.ResetType.FORCE_ON, Power.OFF, Power.ON),
        (sushy.ResetType.PUSH_POWER_BUTTON, Power.OFF, Power.ON),
        (sushy.ResetType.PUSH_POWER_BUTTON, Power.ON, Power.OFF),
        (sushy.ResetType.FORCE_OFF, Power.ON, Power.OFF),
        (sushy.ResetType.GRACEFUL_SHUTDOWN, Power.ON, Power.OFF),
        (sushy.ResetType.FORCE_RESTART, Power.ON, Power.ON),
        (sushy.ResetType.GRACEFUL_RESTART, Power.ON, Power.ON),
        (sushy.ResetType.POWER_CYCLE, Power.ON, Power.ON),
    ],
)
def test_power_is_switched_and_shown(
    rack: Bench, action: sushy.ResetType, before: Power, after: Power
) -> None:
    machine = rack.driver.all[FIRST]
    machine.power = before
    system = rack.system()
    assert system.power_state.value.lower() == before
    system.reset_system(action)
    system.refresh(force=True)
    assert system.power_state.value.lower() == after
    assert machine.power is after
    if before is after:
        assert len(machine.starts) == 1


def test_all_power_actions_are_offered(rack: Bench) -> None:
    offered = {one.value for one in rack.system().get_allowed_reset_system_values()}
    assert offered == {
        "On", "ForceOff", "GracefulShutdown", "ForceRestart", "GracefulRestart", "ForceOn",
        "PushPowerButton", "PowerCycle", "Nmi",
    }  # fmt: skip


@pytest.mark.parametrize("body", [{"ResetType": "Explode"}, {}, {"ResetType": None}])
def test_an_unknown_power_action_is_a_bad_request(rack: Bench, body: dict[str, object]) -> None:
    path = rack.system_path() + "/Actions/ComputerSystem.Reset"
    assert rack.ask("POST", path, json=body).status_code == 400


def test_an_interrupt_that_the_host_cannot_have_is_a_bad_request(rack: Bench) -> None:
    with pytest.raises(BadRequestError, match="Nmi"):
        rack.system().reset_system(sushy.ResetType.NMI)


def test_a_body_that_is_not_json_is_a_bad_request(rack: Bench) -> None:
    path = rack.system_path() + "/Actions/ComputerSystem.Reset"
    headers = {"Content-Type": "application/json"}
    answer = rack.ask("POST", path, data="{", headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["@Message.ExtendedInfo"]


# ---------------------------------------------------------------- what it boots


@pytest.mark.parametrize(
    ("target", "source"),
    [
        (sushy.BootSource.PXE, BootSource.NETWORK),
        (sushy.BootSource.CD, BootSource.MEDIA),
        (sushy.BootSource.HDD, BootSource.DISK),
    ],
)
def test_a_one_time_boot_is_used_once_and_then_gone(
    rack: Bench, target: sushy.BootSource, source: BootSource
) -> None:
    system = rack.system()
    system.set_system_boot_options(target=target, enabled=sushy.BootSourceOverrideEnabled.ONCE)
    system.refresh(force=True)
    assert (system.boot.enabled.value, system.boot.target) == ("Once", target)
    system.reset_system(sushy.RESET_ON)
    assert rack.driver.all[FIRST].starts[0].once is source
    system.refresh(force=True)
    assert (system.boot.enabled.value, system.boot.target.value) == ("Disabled", "None")


def test_a_boot_override_that_stays_comes_first_in_the_order_until_it_is_disabled(
    rack: Bench,
) -> None:
    system = rack.system()
    stays = sushy.BootSourceOverrideEnabled.CONTINUOUS
    system.set_system_boot_options(target=sushy.BootSource.CD, enabled=stays)
    system.set_system_boot_options(target=sushy.BootSource.PXE, enabled=stays)
    system.reset_system(sushy.RESET_ON)
    assert rack.driver.all[FIRST].starts[0].order == (BootSource.NETWORK, BootSource.DISK)
    system.refresh(force=True)
    assert (system.boot.enabled, system.boot.target) == (stays, sushy.BootSource.PXE)
    system.set_system_boot_options(enabled=sushy.BootSourceOverrideEnabled.DISABLED)
    system.refresh(force=True)
    assert system.boot.enabled.value == "Disabled"
    assert rack.chassis[FIRST].boot_settings().order == DEFAULT_ORDER


def test_a_target_alone_keeps_how_long_the_override_holds(rack: Bench) -> None:
    system = rack.system()
    stays = sushy.BootSourceOverrideEnabled.CONTINUOUS
    system.set_system_boot_options(target=sushy.BootSource.PXE, enabled=stays)
    system.set_system_boot_options(target=sushy.BootSource.HDD)
    system.refresh(force=True)
    assert (system.boot.enabled, system.boot.target) == (stays, sushy.BootSource.HDD)


def test_what_ipmi_sets_is_seen_by_redfish(rack: Bench) -> None:
    rack.chassis[FIRST].set_boot_once(BootSource.NETWORK)
    assert rack.system().boot.target is sushy.BootSource.PXE


def test_the_boot_mode_is_set_and_shown(rack: Bench) -> None:
    system = rack.system()
    system.set_system_boot_options(mode=sushy.BootSourceOverrideMode.LEGACY)
    system.refresh(force=True)
    assert system.boot.mode is sushy.BootSourceOverrideMode.LEGACY
    assert rack.chassis[FIRST].boot_settings().mode is BootMode.LEGACY
    assert sushy.BootSource.UEFI_HTTP not in system.get_allowed_system_boot_source_values()


def test_http_boot_has_the_bmc_fetch_what_is_booted(rack: Bench, images: ImageServer) -> None:
    system = rack.system()
    once = sushy.BootSourceOverrideEnabled.ONCE
    system.set_system_boot_options(
        target=sushy.BootSource.UEFI_HTTP, enabled=once, http_boot_uri=images.url
    )
    system.refresh(force=True)
    assert (system.boot.target, system.boot.http_boot_uri) == (
        sushy.BootSource.UEFI_HTTP,
        images.url,
    )
    settings = rack.chassis[FIRST].boot_settings()
    assert settings.once is BootSource.MEDIA
    assert settings.media is not None
    assert settings.media.read_bytes() == IMAGE


@pytest.mark.parametrize(
    "boot",
    [
        {"BootSourceOverrideTarget": "Floppy"},
        {"BootSourceOverrideEnabled": "Sometimes"},
        {"BootSourceOverrideMode": "BIOS"},
        {"BootSourceOverrideEnabled": "Once"},
        {"BootOrder": ["1"]},
    ],
)
def test_a_boot_setting_that_cannot_be_changes_nothing(rack: Bench, boot: dict[str, Any]) -> None:
    before = rack.chassis[FIRST].boot_settings()
    assert rack.ask("PATCH", rack.system_path(), json={"Boot": boot}).status_code == 400
    assert rack.chassis[FIRST].boot_settings() == before


@pytest.mark.parametrize("body", [{}, [], {"AssetTag": "x"}, {"Boot": 1}])
def test_what_cannot_be_set_is_a_bad_request(rack: Bench, body: object) -> None:
    assert rack.ask("PATCH", rack.system_path(), json=body).status_code == 400


def test_secure_boot_is_switched_and_shown(rack: Bench) -> None:
    secure = rack.system().secure_boot
    assert secure.enabled is False
    secure.set_enabled(True)
    secure.refresh(force=True)
    assert secure.enabled is True
    assert rack.chassis[FIRST].boot_settings().secure_boot


def test_secure_boot_needs_uefi(tmp_path: Path) -> None:
    with bench(tmp_path, mode=BootMode.LEGACY) as rack:
        secure = rack.system().secure_boot
        assert secure.enabled is False
        with pytest.raises(BadRequestError, match="UEFI"):
            secure.set_enabled(True)


def test_the_light_is_switched_from_system_and_chassis(rack: Bench) -> None:
    system = rack.system()
    system.set_indicator_led(sushy.INDICATOR_LED_BLINKING)
    assert rack.chassis[FIRST].is_identified()
    box = system.chassis[0]
    assert box.indicator_led is sushy.INDICATOR_LED_LIT
    box.set_indicator_led(sushy.INDICATOR_LED_OFF)
    assert not rack.chassis[FIRST].is_identified()
    answer = rack.ask("PATCH", rack.system_path(), json={"IndicatorLED": "Green"})
    assert answer.status_code == 400


# ---------------------------------------------------------------- BIOS


def test_bios_settings_wait_for_the_next_start(rack: Bench) -> None:
    system = rack.system()
    bios = system.bios
    assert (bios.attributes["SriovEnable"], bios.attributes["NumCores"]) == ("Disabled", 2)
    assert bios.supported_apply_times == [sushy.APPLY_TIME_ON_RESET]
    bios.set_attributes(
        {"SriovEnable": "Enabled", "BootTimeout": 9}, apply_time=sushy.APPLY_TIME_ON_RESET
    )
    bios.refresh(force=True)
    assert bios.pending_attributes == {"SriovEnable": "Enabled", "BootTimeout": 9}
    assert bios.attributes["SriovEnable"] == "Disabled"
    rack.chassis[FIRST]._start()  # noqa: SLF001 - as by IPMI
    bios.refresh(force=True)
    assert (bios.attributes["SriovEnable"], bios.attributes["BootTimeout"]) == ("Enabled", 9)
    assert bios.pending_attributes == {}


def test_a_reset_of_the_bios_waits_too(rack: Bench) -> None:
    bios = rack.system().bios
    bios.set_attribute("AssetTag", "rack 7")
    rack.system().reset_system(sushy.RESET_ON)
    bios.reset_bios()
    bios.refresh(force=True)
    assert bios.attributes["AssetTag"] == "rack 7"
    rack.system().reset_system(sushy.RESET_FORCE_RESTART)
    bios.refresh(force=True)
    assert bios.attributes["AssetTag"] == ""


def test_the_boot_mode_of_the_bios_is_that_of_the_host(rack: Bench) -> None:
    bios = rack.system().bios
    assert bios.attributes["BootMode"] == "Uefi"
    bios.set_attribute("BootMode", "LegacyBios")
    rack.system().reset_system(sushy.RESET_ON)
    assert rack.system().boot.mode is sushy.BootSourceOverrideMode.LEGACY


def test_the_registry_describes_every_bios_attribute(rack: Bench) -> None:
    bios = rack.system().bios
    registry = bios.get_attribute_registry()
    described = {one.name: one for one in registry.registry_entries.attributes}
    assert set(described) == set(bios.attributes)
    assert described["NumCores"].read_only is True
    assert described["BootTimeout"].upper_bound == 60
    assert {one["ValueName"] for one in described["SystemProfile"].allowable_values} == {
        "Balanced",
        "Performance",
        "PowerSaving",
    }


@pytest.mark.parametrize(
    "attributes",
    [
        {"Nonsense": 1},
        {"NumCores": 64},
        {"SriovEnable": "Perhaps"},
        {"BootTimeout": 61},
        {"BootTimeout": True},
        {"QuietBoot": 1},
        {"AssetTag": "x" * 64},
        {"QuietBoot": True, "Nonsense": 1},
    ],
)
def test_a_bios_setting_that_cannot_be_is_refused_with_all_others(
    rack: Bench, attributes: dict[str, object]
) -> None:
    bios = rack.system().bios
    with pytest.raises(BadRequestError):
        bios.set_attributes(attributes)
    assert bios.pending_attributes == {}
