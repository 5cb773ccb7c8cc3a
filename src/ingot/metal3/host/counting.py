"""What is counted, by the names that upstream's dashboards know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingot.metal3.api.states import ProvisioningState

__all__ = [
    "BOOT_LOST",
    "CONFIG_DATA_ERROR",
    "CREDENTIALS_INVALID",
    "CREDENTIALS_MISSING",
    "CREDENTIALS_NO_ACCESS",
    "CREDENTIALS_UNHANDLED",
    "CREDENTIALS_UPDATED",
    "DECLARED",
    "DELAYED",
    "DELETE_DELAYED_FOR_DETACHED",
    "DELETE_WITHOUT_DEPROVISIONING",
    "DELETE_WITHOUT_POWERING_OFF",
    "DURATION",
    "HOST_ERROR",
    "POWER_CHANGE",
    "PROVISIONER_NOT_READY",
    "RECONCILE",
    "RECONCILE_ERROR",
    "REGISTRATION_REQUIRED",
    "STATE_CHANGE",
    "UNMANAGED",
    "WAITING_FOR_RAMDISK",
    "Declared",
]

RECONCILE: Final = "metal3_reconcile_total"
RECONCILE_ERROR: Final = "metal3_reconcile_error_total"
CREDENTIALS_UNHANDLED: Final = "metal3_credentials_unhandled_error_total"
"""The last two are for who carries decisions out: no decision leads to them."""
HOST_ERROR: Final = "metal3_host_error_total"
POWER_CHANGE: Final = "metal3_operation_power_change_total"
CREDENTIALS_MISSING: Final = "metal3_credentials_missing_total"
CREDENTIALS_INVALID: Final = "metal3_credentials_invalid_total"
CREDENTIALS_UPDATED: Final = "metal3_credentials_updated_total"
CREDENTIALS_NO_ACCESS: Final = "metal3_credentials_no_management_access_total"
CONFIG_DATA_ERROR: Final = "metal3_host_config_data_error_total"
STATE_CHANGE: Final = "metal3_provisioning_state_change_total"
REGISTRATION_REQUIRED: Final = "metal3_host_registration_required_total"
UNMANAGED: Final = "metal3_host_unmanaged_total"
DELETE_WITHOUT_DEPROVISIONING: Final = "metal3_delete_without_deprovisioning_total"
PROVISIONER_NOT_READY: Final = "metal3_provisioner_not_ready_total"
DELETE_DELAYED_FOR_DETACHED: Final = "metal3_delete_delayed_for_detached_total"

WAITING_FOR_RAMDISK: Final = "metal3_waiting_for_preprov_image_total"
DELETE_WITHOUT_POWERING_OFF: Final = "metal3_delete_without_powering_off_total"
"""Upstream counts these two and never shows them."""

BOOT_LOST: Final = "ingot_boot_lost_total"
"""Ours, by the stage that did not come."""

# The double underscore is upstream's.
_PROVISIONING: Final = "metal3_delayed__provisioning_total"
_DEPROVISIONING: Final = "metal3_delayed__deprovisioning_total"

DELAYED: Final = {
    ProvisioningState.INSPECTING: _PROVISIONING,
    ProvisioningState.PROVISIONING: _PROVISIONING,
    ProvisioningState.DEPROVISIONING: _DEPROVISIONING,
}
"""Which counter a host that waits for capacity counts for, by the state it is in or enters."""

DURATION: Final = {
    ProvisioningState.REGISTERING: "metal3_operation_register_duration_seconds",
    ProvisioningState.INSPECTING: "metal3_operation_inspect_duration_seconds",
    ProvisioningState.PROVISIONING: "metal3_operation_provision_duration_seconds",
    ProvisioningState.DEPROVISIONING: "metal3_operation_deprovision_duration_seconds",
}
"""The histogram of each state whose duration is kept."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A metric, as it is to be registered.

    Attributes:
        labels: the names of its labels.
        buckets: of a histogram; () for the usual ones, None for a counter.
    """

    name: str
    meaning: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] | None = None


_HOST: Final = ("namespace", "host")
_MINUTES: Final = (30.0, 90.0, 180.0, 360.0, 720.0, 1440.0)

DECLARED: Final = (
    Declared(RECONCILE, "Looks at a host", _HOST),
    Declared(RECONCILE_ERROR, "Looks that ended by a failure of ours"),
    Declared(HOST_ERROR, "Failures that were recorded", ("error_type",)),
    Declared(POWER_CHANGE, "Power changes that were asked for", (*_HOST, "on_off")),
    Declared(CREDENTIALS_MISSING, "BMC Secrets that were not there"),
    Declared(CREDENTIALS_INVALID, "BMC Secrets that could not be used"),
    Declared(CREDENTIALS_UNHANDLED, "BMC Secrets that could not be read"),
    Declared(CREDENTIALS_UPDATED, "BMC credentials that changed and were accepted"),
    Declared(CREDENTIALS_NO_ACCESS, "Registrations that failed at the BMC"),
    Declared(CONFIG_DATA_ERROR, "Data of a deployment that was not to be had", ("host_data_type",)),
    Declared(_PROVISIONING, "Inspections and provisionings that waited for capacity", _HOST),
    Declared(_DEPROVISIONING, "Deprovisionings that waited for capacity", _HOST),
    Declared(DURATION[ProvisioningState.REGISTERING], "Registrations", _HOST, ()),
    Declared(DURATION[ProvisioningState.INSPECTING], "Inspections", _HOST, _MINUTES),
    Declared(DURATION[ProvisioningState.PROVISIONING], "Provisionings", _HOST, _MINUTES),
    Declared(DURATION[ProvisioningState.DEPROVISIONING], "Deprovisionings", _HOST, _MINUTES),
    Declared(STATE_CHANGE, "Changes of state", ("prev_state", "new_state")),
    Declared(REGISTRATION_REQUIRED, "Hosts that Ironic had lost"),
    Declared(UNMANAGED, "Hosts without a BMC"),
    Declared(DELETE_WITHOUT_DEPROVISIONING, "Hosts deleted without being deprovisioned"),
    Declared(DELETE_WITHOUT_POWERING_OFF, "Hosts deleted without being turned off"),
    Declared(PROVISIONER_NOT_READY, "Looks that met no Ironic"),
    Declared(DELETE_DELAYED_FOR_DETACHED, "Looks at deleted hosts that are held detached"),
    Declared(WAITING_FOR_RAMDISK, "Hosts that waited for their PreprovisioningImage"),
    Declared(BOOT_LOST, "Boots that were lost, by what did not come", ("stage",)),
)
"""Every metric of a host, for the registry."""
