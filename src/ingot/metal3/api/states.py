"""The words of a host's life: where it stands, how it fares, and what went wrong."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ErrorType", "OperationalStatus", "ProvisioningState"]


class ProvisioningState(StrEnum):
    """Where a host stands on its way, as ``status.provisioning.state`` says it.

    The API server takes any text there. These are the ones that occur; ``ready`` is the old word
    for ``available``, and ``match profile`` is left by old releases.
    """

    NONE = ""
    UNMANAGED = "unmanaged"
    REGISTERING = "registering"
    INSPECTING = "inspecting"
    MATCH_PROFILE = "match profile"
    PREPARING = "preparing"
    READY = "ready"
    AVAILABLE = "available"
    PROVISIONING = "provisioning"
    PROVISIONED = "provisioned"
    EXTERNALLY_PROVISIONED = "externally provisioned"
    DEPROVISIONING = "deprovisioning"
    POWERING_OFF_BEFORE_DELETE = "powering off before delete"
    DELETING = "deleting"


class OperationalStatus(StrEnum):
    """How a host fares, whatever state it is in."""

    NONE = ""
    OK = "OK"
    DISCOVERED = "discovered"
    ERROR = "error"
    DELAYED = "delayed"
    DETACHED = "detached"
    SERVICING = "servicing"


class ErrorType(StrEnum):
    """What kind of work failed.

    Upstream's code also knows "detach error". Its definition refuses to store that, and nothing
    ever produces it, so it is not here.
    """

    PROVISIONED_REGISTRATION = "provisioned registration error"
    REGISTRATION = "registration error"
    INSPECTION = "inspection error"
    PREPARATION = "preparation error"
    PROVISIONING = "provisioning error"
    POWER_MANAGEMENT = "power management error"
    SERVICING = "servicing error"
