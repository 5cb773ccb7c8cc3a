"""BareMetalMachineProviderSpec: which host a Machine takes, and what is written to it.

The API server checks types only. Whether an image can be fetched is judged by the controller, so
that a mistake is told where the Machine is looked at, and the object that has it can be kept.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import OMIT_EMPTY, WIRE, Many, Text, Words

__all__ = [
    "API_VERSION",
    "KIND",
    "BareMetalMachineProviderSpec",
    "CustomDeploy",
    "HostSelector",
    "Image",
    "ProviderSpec",
    "Requirement",
    "SecretReference",
]

API_VERSION = "baremetal.cluster.k8s.io/v1alpha1"
KIND = "BareMetalMachineProviderSpec"

OPEN = ConfigDict(**WIRE, json_schema_extra={"x-kubernetes-preserve-unknown-fields": True})
"""A part in which the API server keeps what it does not know: other releases may."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Image:
    """What is written to a host's disk."""

    url: Text = ""
    """Where the image is: `http`, `https`, `ftp`, `gopher` or `oci`."""

    checksum: Text = ""
    """The image's checksum, or a URL of one. Neither live ISOs nor `oci` images need it."""

    checksum_type: Text = ""
    """How the checksum was made: `md5`, `sha256`, `sha512` or `auto`."""

    format: Text = ""
    """What the file holds: `raw`, `qcow2`, `vdi`, `vmdk` or `live-iso`."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class CustomDeploy:
    """A way to install a host that the ramdisk brings along."""

    method: Text = ""
    """The deploy step's name in the ramdisk."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class SecretReference:
    """A Secret, by name."""

    name: Text = ""
    """The Secret's name."""

    namespace: Text = ""
    """The Secret's namespace; the Machine's own when not given."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Requirement:
    """One rule about a label."""

    key: Text = ""
    """The label."""

    operator: Text = ""
    """`In`, `NotIn`, `Exists` or `DoesNotExist`; also as `in`, `notin`, `exists` and `!`."""

    values: Many[str] = ()
    """The values that `In` and `NotIn` speak of."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostSelector:
    """Which hosts may be taken: all rules have to hold."""

    match_labels: Words = Field(default_factory=dict)
    """Labels that a host has."""

    match_expressions: Many[Requirement] = ()
    """Rules about its labels."""


@dataclass(frozen=True, slots=True, kw_only=True, config=OPEN)
class BareMetalMachineProviderSpec:
    """Which host is taken, and what is written to it."""

    api_version: Text = ""
    """`baremetal.cluster.k8s.io/v1alpha1`; nobody looks at it."""

    kind: Text = ""
    """`BareMetalMachineProviderSpec`; nobody looks at it."""

    image: Annotated[Image | None, OMIT_EMPTY] = None
    """What is written to the host's disk."""

    custom_deploy: Annotated[CustomDeploy | None, OMIT_EMPTY] = None
    """Install the host by a deploy step of the ramdisk, with or without an image."""

    user_data: Annotated[SecretReference | None, OMIT_EMPTY] = None
    """The Secret with what the first boot does. When not given it is that of the host, which is
    called `HOST-user-data`."""

    host_selector: HostSelector = Field(default_factory=HostSelector)
    """Which hosts may be taken; any when not given."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class ProviderSpec:
    """What the provider of machines is told."""

    value: BareMetalMachineProviderSpec | None = None
    """Which host is taken, and what is written to it."""
