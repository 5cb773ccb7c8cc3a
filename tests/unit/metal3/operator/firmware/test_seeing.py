"""What the host's state machine sees of the three objects."""

from __future__ import annotations

from datetime import UTC, datetime

from ingot.metal3.api.conditions import Condition, ConditionStatus
from ingot.metal3.api.hostfirmwarecomponents import (
    FirmwareUpdate,
    HostFirmwareComponents,
    HostFirmwareComponentsSpec,
    HostFirmwareComponentsStatus,
)
from ingot.metal3.api.hostfirmwaresettings import (
    HostFirmwareSettings,
    HostFirmwareSettingsSpec,
    HostFirmwareSettingsStatus,
)
from ingot.metal3.api.hostupdatepolicy import (
    HostUpdatePolicy,
    HostUpdatePolicySpec,
    UpdateMoment,
)
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.host.observation import FirmwareSeen
from ingot.metal3.node import goal
from ingot.metal3.operator.firmware.seeing import firmware_seen

META = Metadata(name="worker-0", namespace="metal3", generation=2)
BIOS = FirmwareUpdate(component="bios", url="http://images/bios-2")
BMC = FirmwareUpdate(component="bmc", url="http://images/bmc-2")


def judged(*, valid: bool, generation: int = 2) -> tuple[Condition, ...]:
    return (
        Condition(
            type="Valid",
            status=ConditionStatus.TRUE if valid else ConditionStatus.FALSE,
            reason="Success",
            message="",
            last_transition_time=datetime(2026, 3, 1, tzinfo=UTC),
            observed_generation=generation,
        ),
    )


def settings(
    wanted: dict[str, int | str], conditions: tuple[Condition, ...] = ()
) -> HostFirmwareSettings:
    return HostFirmwareSettings(
        metadata=META,
        spec=HostFirmwareSettingsSpec(settings=wanted),
        status=HostFirmwareSettingsStatus(settings={"A": "1", "B": "2"}, conditions=conditions),
    )


def components(
    *wanted: FirmwareUpdate,
    made: tuple[FirmwareUpdate, ...] = (),
    conditions: tuple[Condition, ...] = (),
) -> HostFirmwareComponents:
    return HostFirmwareComponents(
        metadata=META,
        spec=HostFirmwareComponentsSpec(updates=wanted),
        status=HostFirmwareComponentsStatus(updates=made, conditions=conditions),
    )


def test_a_host_without_objects_waits_for_nothing() -> None:
    assert firmware_seen(None, None, None) == FirmwareSeen()


def test_a_host_that_asks_for_nothing_does_not_wait_for_a_status() -> None:
    assert firmware_seen(settings({}), components(), None) == FirmwareSeen()


def test_a_wish_that_was_not_judged_is_waited_for() -> None:
    seen = firmware_seen(settings({"A": 5}), None, None)
    assert seen == FirmwareSeen(ready=False, asked=True)
    seen = firmware_seen(None, components(BIOS), None)
    assert seen == FirmwareSeen(ready=False, asked=True)


def test_a_judgement_of_an_earlier_wish_does_not_count() -> None:
    old = judged(valid=True, generation=1)
    assert firmware_seen(settings({"A": 5}, old), None, None) == FirmwareSeen(
        ready=False, asked=True
    )
    assert firmware_seen(None, components(BIOS, conditions=old), None) == FirmwareSeen(
        ready=False, asked=True
    )


def test_only_what_differs_is_to_be_made() -> None:
    good = judged(valid=True)
    seen = firmware_seen(
        settings({"A": 1, "B": 3}, good), components(BIOS, BMC, made=(BMC,), conditions=good), None
    )
    assert seen.ready
    assert seen.settings == {"B": "3"}
    assert seen.updates == (goal.FirmwareUpdate(component="bios", url=BIOS.url),)


def test_one_wrong_setting_keeps_all_from_being_made() -> None:
    bad = judged(valid=False)
    seen = firmware_seen(settings({"A": 5, "X": 3}, bad), components(BIOS, conditions=bad), None)
    assert seen == FirmwareSeen(ready=True, asked=True)


def test_a_wish_that_is_fulfilled_is_still_asked_for() -> None:
    assert firmware_seen(settings({"A": 1}, judged(valid=True)), None, None) == FirmwareSeen(
        ready=True, asked=True
    )


def test_the_policy_allows_each_by_itself() -> None:
    def allowed(**moments: UpdateMoment) -> tuple[bool, bool]:
        policy = HostUpdatePolicy(metadata=META, spec=HostUpdatePolicySpec(**moments))
        seen = firmware_seen(None, None, policy)
        return seen.settings_on_reboot, seen.updates_on_reboot

    assert allowed() == (False, False)
    assert allowed(firmware_settings=UpdateMoment.ON_REBOOT) == (True, False)
    assert allowed(firmware_updates=UpdateMoment.ON_REBOOT) == (False, True)
    assert allowed(
        firmware_settings=UpdateMoment.ON_PREPARING, firmware_updates=UpdateMoment.ON_PREPARING
    ) == (False, False)
