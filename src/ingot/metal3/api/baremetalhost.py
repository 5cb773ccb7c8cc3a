"""BareMetalHost: one server, what is wanted of it and where it stands."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import AGE, Column, Definition
from ingot.kube.crd.wire import OMIT_UNSET, STORED_DEFAULT, WIRE, Flag, Many, Text
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.firmware import FirmwareConfig
from ingot.metal3.api.hoststatus import HostStatus
from ingot.metal3.api.image import CustomDeploy, Image
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.networkinterface import NetworkInterface
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.references import ObjectReference, SecretReference, Taint
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.api.wire import GROUP, MAC_ANYWHERE, VERSION

__all__ = [
    "DEFINITION",
    "AutomatedCleaningMode",
    "BMCDetails",
    "BareMetalHost",
    "HostSpec",
    "InspectionMode",
]


class AutomatedCleaningMode(StrEnum):
    """What is erased before and after a host is used."""

    METADATA = "metadata"
    DISABLED = "disabled"


class InspectionMode(StrEnum):
    """How a host's hardware is looked at."""

    DISABLED = "disabled"
    AGENT = "agent"
    FAST = "fast"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class BMCDetails:
    """How the server's management controller is reached."""

    address: str
    """The controller's URL. Its scheme says how it is spoken to."""

    credentials_name: str
    """The Secret with `username` and `password`, in the host's namespace."""

    disable_certificate_verification: Flag = False
    """Do not check the controller's certificate. Whoever is between can then read the password."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostSpec:
    """What is wanted of a server."""

    online: bool
    """Whether the server should be on. It is only provisioned if so."""

    taints: Many[Taint] = ()
    """Without effect. Deprecated."""

    bmc: BMCDetails | None = None
    """How the server's management controller is reached. Without it the host is unmanaged."""

    raid: RAID | None = None
    """RAID volumes to build before the host is available."""

    firmware: FirmwareConfig | None = None
    """Refused: HostFirmwareSettings took its place. Deprecated."""

    hardware_profile: Text = ""
    """A name that stands for a disk to write to. Deprecated: give root device hints."""

    root_device_hints: RootDeviceHints | None = None
    """Which disk the image is written to."""

    boot_mode: BootMode | None = None
    """How the server's firmware boots: `UEFI` when not given."""

    boot_mac_address: Annotated[
        Annotated[str, MAC_ANYWHERE] | None, Field(alias="bootMACAddress")
    ] = None
    """The MAC address of the network card that the server boots from; never the controller's."""

    consumer_ref: ObjectReference | None = None
    """Who uses the host. While it is set, nobody else takes it."""

    image: Image | None = None
    """The image to run. Setting it starts provisioning, removing it deprovisions."""

    user_data: SecretReference | None = None
    """The Secret with what the first boot is told to do, such as an Ignition config."""

    network_data: SecretReference | None = None
    """The Secret with the installed system's network settings."""

    meta_data: SecretReference | None = None
    """The Secret with further facts for the config drive."""

    preprovisioning_network_data_name: Text = ""
    """The Secret with the ramdisk's network settings; the installed system's too, unless told."""

    description: Text = ""
    """For people."""

    externally_provisioned: Flag = False
    """The server runs something already: leave its disks alone and only keep its power."""

    automated_cleaning_mode: Annotated[AutomatedCleaningMode, STORED_DEFAULT] = (
        AutomatedCleaningMode.METADATA
    )
    """What is erased before and after use: partition tables (`metadata`) or nothing."""

    custom_deploy: CustomDeploy | None = None
    """Install the host by a deploy step of the ramdisk."""

    architecture: Text = ""
    """The processors' architecture, such as `x86_64`. Filled in by inspection."""

    disable_power_off: Flag = False
    """Never turn the server off: reboot it instead."""

    inspection_mode: InspectionMode | None = None
    """How the hardware is looked at: by the ramdisk (`agent`), by the controller alone (`fast`),
    or not at all."""

    network_interfaces: Many[NetworkInterface] = ()
    """What the server's network cards should be connected to."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class BareMetalHost:
    """One server: what is wanted of it and where it stands."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["BareMetalHost"] = "BareMetalHost"

    spec: HostSpec = Field(default_factory=lambda: HostSpec(online=False))
    """What is wanted of the server."""

    status: Annotated[HostStatus, OMIT_UNSET] = Field(default_factory=HostStatus)
    """Where the server stands."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=BareMetalHost,
    plural="baremetalhosts",
    short_names=("bmh", "bmhost"),
    columns=(
        Column("Status", ".status.operationalStatus", "How the host fares.", priority=1),
        Column("State", ".status.provisioning.state", "Where the host stands."),
        Column("Consumer", ".spec.consumerRef.name", "Who uses the host."),
        Column("BMC", ".spec.bmc.address", "Its management controller.", priority=1),
        Column("Online", ".spec.online", "Whether it should be on."),
        Column("Error", ".status.errorType", "What failed last."),
        AGE,
    ),
)
