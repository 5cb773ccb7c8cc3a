"""Conditions, and the only place where their types and reasons are spelled."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import INT64, WIRE, Many, Time, map_by

__all__ = [
    "Condition",
    "ConditionStatus",
    "Conditions",
    "FirmwareCondition",
    "FirmwareReason",
    "HostCondition",
    "HostReason",
    "ImageCondition",
    "ImageReason",
]

_TYPE = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_REASON = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"


class ConditionStatus(StrEnum):
    """Whether a condition holds."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Condition:
    """One observation about an object, in the form that all of Kubernetes shares."""

    type: Annotated[str, Field(max_length=316, pattern=_TYPE)]
    """What is observed."""

    status: ConditionStatus
    """Whether it holds."""

    reason: Annotated[str, Field(min_length=1, max_length=1024, pattern=_REASON)]
    """Why, as one word for programs."""

    message: Annotated[str, Field(max_length=32768)]
    """Why, as a sentence for people. May be empty."""

    last_transition_time: Time
    """When the status last changed."""

    observed_generation: Annotated[int, Field(ge=0), INT64] | None = None
    """The generation of the object that was looked at."""


Conditions = Annotated[Many[Condition], map_by("type")]


class HostCondition(StrEnum):
    """What is observed of a BareMetalHost."""

    MANAGEABLE = "Manageable"
    AVAILABLE_FOR_PROVISIONING = "AvailableForProvisioning"
    PROVISIONED = "Provisioned"
    READY = "Ready"
    PROGRESSING = "Progressing"
    HEALTHY = "Healthy"


class HostReason(StrEnum):
    """Why a BareMetalHost's condition is as it is."""

    AVAILABLE = "Available"
    CRITICAL_ERROR = "CriticalError"
    DELETING = "Deleting"
    DEPROVISIONING = "Deprovisioning"
    DETACHED = "Detached"
    ERROR = "Error"
    HEALTHY = "Healthy"
    INSPECTING = "Inspecting"
    MANAGEABLE = "Manageable"
    NOT_AVAILABLE = "NotAvailable"
    NOT_MANAGED = "NotManaged"
    NOT_PROGRESSING = "NotProgressing"
    NOT_PROVISIONED = "NotProvisioned"
    POWER_FAILURE = "PowerFailure"
    POWERING_OFF_BEFORE_DELETE = "PoweringOffBeforeDelete"
    PREPARING = "Preparing"
    PROVISIONED = "Provisioned"
    PROVISIONING = "Provisioning"
    REGISTERING = "Registering"
    REGISTRATION_FAILED = "RegistrationFailed"
    SERVICING = "Servicing"
    UNKNOWN = "Unknown"
    WARNING = "Warning"


class FirmwareCondition(StrEnum):
    """What is observed of HostFirmwareSettings and HostFirmwareComponents."""

    CHANGE_DETECTED = "ChangeDetected"
    VALID = "Valid"


class FirmwareReason(StrEnum):
    """Why their conditions are as they are: the first two of settings, the others of components."""

    SUCCESS = "Success"
    CONFIGURATION_ERROR = "ConfigurationError"
    OK = "OK"
    INVALID_COMPONENT = "InvalidComponent"


class ImageCondition(StrEnum):
    """What is observed of a PreprovisioningImage."""

    READY = "Ready"
    ERROR = "Error"


class ImageReason(StrEnum):
    """Why a PreprovisioningImage's condition is as it is."""

    IMAGE_SUCCESS = "ImageSuccess"
    CONFIGURATION_ERROR = "ConfigurationError"
    MISSING_NETWORK_DATA = "MissingNetworkData"
    IMAGE_BUILD_INVALID = "ImageBuildInvalid"
