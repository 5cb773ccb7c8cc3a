"""Events: who reports them and for what reasons."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ingot.metal3.api.states import ErrorType

__all__ = ["COMPONENT", "ERROR_EVENTS", "EventReason"]

COMPONENT: Final = "metal3-baremetal-controller"
"""Named as the source of each event, as upstream does, so that filters keep working."""


class EventReason(StrEnum):
    """Why an event is reported."""

    DISCOVERED = "Discovered"
    BMC_ACCESS_VALIDATED = "BMCAccessValidated"
    BMC_CREDENTIAL_ERROR = "BMCCredentialError"
    PROFILE_SET = "ProfileSet"
    INSPECTION_SKIPPED = "InspectionSkipped"
    INVALID_ANNOTATION_VALUE = "InvalidAnnotationValue"
    UPDATE_HARDWARE_DETAILS = "UpdateHardwareDetails"
    REMOVE_ANNOTATION = "RemoveAnnotation"

    REGISTERED = "Registered"
    INSPECTION_STARTED = "InspectionStarted"
    INSPECTION_COMPLETE = "InspectionComplete"
    PROVISIONING_STARTED = "ProvisioningStarted"
    PROVISIONING_COMPLETE = "ProvisioningComplete"
    DEPROVISIONING_STARTED = "DeprovisioningStarted"
    DEPROVISIONING_COMPLETE = "DeprovisioningComplete"
    POWER_ON = "PowerOn"
    POWER_OFF = "PowerOff"

    REGISTRATION_ERROR = "RegistrationError"
    PROVISIONED_REGISTRATION_ERROR = "ProvisionedRegistrationError"
    INSPECTION_ERROR = "InspectionError"
    PREPARATION_ERROR = "PreparationError"
    PROVISIONING_ERROR = "ProvisioningError"
    POWER_MANAGEMENT_ERROR = "PowerManagementError"
    DETACH_ERROR = "DetachError"
    SERVICING_ERROR = "ServicingError"

    VALIDATION_FAILED = "ValidationFailed"
    IMAGE_AUTH_FORMAT_UNSUPPORTED = "ImageAuthFormatUnsupported"
    IMAGE_AUTH_PARSE_ERROR = "ImageAuthParseError"


ERROR_EVENTS: Final = {
    ErrorType.REGISTRATION: EventReason.REGISTRATION_ERROR,
    ErrorType.PROVISIONED_REGISTRATION: EventReason.PROVISIONED_REGISTRATION_ERROR,
    ErrorType.INSPECTION: EventReason.INSPECTION_ERROR,
    ErrorType.PREPARATION: EventReason.PREPARATION_ERROR,
    ErrorType.PROVISIONING: EventReason.PROVISIONING_ERROR,
    ErrorType.POWER_MANAGEMENT: EventReason.POWER_MANAGEMENT_ERROR,
    ErrorType.SERVICING: EventReason.SERVICING_ERROR,
}
"""The event that tells of each kind of recorded failure."""
