"""The words that other tools look for, to the letter."""

from __future__ import annotations

from enum import StrEnum

import pytest

from ingot.metal3.api import annotation, finalizer, label
from ingot.metal3.api.conditions import (
    FirmwareCondition,
    FirmwareReason,
    HostCondition,
    HostReason,
    ImageCondition,
    ImageReason,
)
from ingot.metal3.api.events import COMPONENT, ERROR_EVENTS, EventReason
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState

WORDS: dict[type[StrEnum], str] = {
    ProvisioningState: (
        "|unmanaged|registering|inspecting|match profile|preparing|ready|available"
        "|provisioning|provisioned|externally provisioned|deprovisioning"
        "|powering off before delete|deleting"
    ),
    OperationalStatus: "|OK|discovered|error|delayed|detached|servicing",
    ErrorType: (
        "provisioned registration error|registration error|inspection error|preparation error"
        "|provisioning error|power management error|servicing error"
    ),
    HostCondition: "Manageable|AvailableForProvisioning|Provisioned|Ready|Progressing|Healthy",
    FirmwareCondition: "ChangeDetected|Valid",
    FirmwareReason: "Success|ConfigurationError|OK|InvalidComponent",
    ImageCondition: "Ready|Error",
    ImageReason: "ImageSuccess|ConfigurationError|MissingNetworkData|ImageBuildInvalid",
    EventReason: (
        "Discovered|BMCAccessValidated|BMCCredentialError|ProfileSet|InspectionSkipped"
        "|InvalidAnnotationValue|UpdateHardwareDetails|RemoveAnnotation|Registered"
        "|InspectionStarted|InspectionComplete|ProvisioningStarted|ProvisioningComplete"
        "|DeprovisioningStarted|DeprovisioningComplete|PowerOn|PowerOff|RegistrationError"
        "|ProvisionedRegistrationError|InspectionError|PreparationError|ProvisioningError"
        "|PowerManagementError|DetachError|ServicingError|ValidationFailed"
        "|ImageAuthFormatUnsupported|ImageAuthParseError"
    ),
}


@pytest.mark.parametrize(("words", "expected"), WORDS.items(), ids=[one.__name__ for one in WORDS])
def test_the_words_are_metal3s(words: type[StrEnum], expected: str) -> None:
    assert "|".join(words) == expected


def test_each_kind_of_failure_has_its_event() -> None:
    assert ERROR_EVENTS.keys() == set(ErrorType)
    assert len(set(ERROR_EVENTS.values())) == len(ErrorType)


def test_a_reason_is_one_that_a_condition_may_have() -> None:
    assert all(reason.value.isalnum() for reason in HostReason)


def test_annotations_labels_and_finalizers_are_metal3s() -> None:
    assert (annotation.PAUSED, annotation.DETACHED, annotation.STATUS) == (
        "baremetalhost.metal3.io/paused",
        "baremetalhost.metal3.io/detached",
        "baremetalhost.metal3.io/status",
    )
    assert (annotation.REBOOT, annotation.REBOOT_WITH_KEY) == (
        "reboot.metal3.io",
        "reboot.metal3.io/",
    )
    assert (annotation.INSPECT, annotation.HARDWARE_DETAILS) == (
        "inspect.metal3.io",
        "inspect.metal3.io/hardwaredetails",
    )
    assert (label.ENVIRONMENT, label.ENVIRONMENT_VALUE) == ("environment.metal3.io", "baremetal")
    assert (finalizer.HOST, finalizer.SECRET) == (
        "baremetalhost.metal3.io",
        "baremetalhost.metal3.io/secret",
    )
    assert COMPONENT == "metal3-baremetal-controller"
