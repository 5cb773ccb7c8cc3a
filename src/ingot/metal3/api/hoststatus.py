"""The status of a BareMetalHost: where it stands, what was done and what went wrong."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, WithJsonSchema
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import (
    NULLABLE,
    OMIT_UNSET,
    REQUIRED,
    STORED_DEFAULT,
    WIRE,
    Text,
    Time,
)
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.conditions import Conditions
from ingot.metal3.api.firmware import FirmwareConfig
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.image import CustomDeploy, Image
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.references import SecretReference
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState

__all__ = [
    "CredentialsStatus",
    "HostStatus",
    "OperationHistory",
    "OperationTimes",
    "ProvisionStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class CredentialsStatus:
    """A Secret as it was when it was used."""

    credentials: SecretReference | None = None
    """The Secret."""

    credentials_version: Text = ""
    """The Secret's resource version."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class OperationTimes:
    """When an operation began and ended."""

    start: Annotated[Time | None, NULLABLE] = None
    """When it began."""

    end: Annotated[Time | None, NULLABLE] = None
    """When it ended; not set while it lasts."""


History = Annotated[OperationTimes, OMIT_UNSET]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class OperationHistory:
    """When each operation last ran."""

    register: History = Field(default_factory=OperationTimes)
    """Registration."""

    inspect: History = Field(default_factory=OperationTimes)
    """Inspection."""

    provision: History = Field(default_factory=OperationTimes)
    """Provisioning."""

    deprovision: History = Field(default_factory=OperationTimes)
    """Deprovisioning."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class ProvisionStatus:
    """Where a host stands on its way, and what was used to bring it there."""

    state: Annotated[ProvisioningState, WithJsonSchema({"type": "string"}), REQUIRED] = (
        ProvisioningState.NONE
    )
    """Where the host stands."""

    id: Annotated[str, Field(alias="ID"), REQUIRED] = ""
    """The host's node in Ironic."""

    image: Image | None = None
    """The image that the host runs."""

    root_device_hints: RootDeviceHints | None = None
    """The hints that the host was prepared with."""

    boot_mode: BootMode | None = None
    """The boot mode that was last set."""

    raid: RAID | None = None
    """The RAID volumes that the host was prepared with."""

    firmware: FirmwareConfig | None = None
    """The firmware switches that the host was prepared with. Deprecated."""

    custom_deploy: CustomDeploy | None = None
    """The deploy step that the host was installed by."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostStatus:
    """Where a server stands."""

    operational_status: Annotated[OperationalStatus, REQUIRED] = OperationalStatus.NONE
    """How the host fares."""

    error_type: ErrorType | None = None
    """What failed last."""

    last_updated: Time | None = None
    """When this status was last written. Without it the status counts as lost."""

    hardware_profile: Text = ""
    """The hardware profile in use. Deprecated."""

    hardware: HardwareDetails | None = None
    """What inspection found. Deprecated: see the HardwareData of the same name."""

    provisioning: Annotated[ProvisionStatus, REQUIRED] = Field(default_factory=ProvisionStatus)
    """Where the host stands on its way."""

    good_credentials: Annotated[CredentialsStatus, OMIT_UNSET] = Field(
        default_factory=CredentialsStatus
    )
    """The credentials that last worked."""

    tried_credentials: Annotated[CredentialsStatus, OMIT_UNSET] = Field(
        default_factory=CredentialsStatus
    )
    """The credentials that were last handed to Ironic."""

    error_message: Annotated[str, REQUIRED] = ""
    """What failed last, as a sentence."""

    powered_on: Annotated[bool, REQUIRED] = False
    """Whether the server was on when last looked at."""

    operation_history: Annotated[OperationHistory, OMIT_UNSET] = Field(
        default_factory=OperationHistory
    )
    """When each operation last ran."""

    error_count: Annotated[int, REQUIRED, STORED_DEFAULT] = 0
    """How often in a row the current work failed; waiting times grow with it."""

    provisioning_fail_count: Annotated[int, REQUIRED, STORED_DEFAULT] = 0
    """How often in a row provisioning this image failed."""

    last_attempted_image: Image | None = None
    """The image whose failures are counted."""

    conditions: Annotated[Conditions, Field(max_length=32)] = ()
    """What is observed of the host."""
