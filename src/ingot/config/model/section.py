"""What every section of the config has in common: its naming, and the marks a field may carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "FOREIGN",
    "HIDDEN",
    "OPENSHIFT_ONLY",
    "Deprecated",
    "ForeignPlatform",
    "NotYet",
    "Nothing",
    "OpenShiftOnly",
    "PlatformChoice",
    "Section",
    "yaml_name",
]

_ACRONYMS = {
    word.lower(): word
    for word in ("ASN", "BGP", "CA", "CIDR", "DHCP", "DNS", "IP", "MAC", "MTU", "NTP", "OS", "URI")
} | {"vip": "VIP", "vips": "VIPs"}


def yaml_name(name: str) -> str:
    """Return a field's name in the file: `boot_mac_address` is `bootMACAddress`."""
    first, *rest = name.split("_")
    return first + "".join(_ACRONYMS.get(word, word.capitalize()) for word in rest)


class Section(BaseModel):
    """A mapping of known fields; absent and empty mean the same, as in the field's installer."""

    model_config = ConfigDict(
        alias_generator=yaml_name,
        arbitrary_types_allowed=True,
        extra="forbid",
        hide_input_in_errors=True,
        frozen=True,
        validate_by_alias=True,
        validate_by_name=True,
    )


HIDDEN = Field(repr=False)
"""May hold a password or a key, by design or by mistake: never in a log."""


@dataclass(frozen=True, slots=True)
class OpenShiftOnly:
    """Accepted as it is and without effect: it concerns parts that only OpenShift has."""


OPENSHIFT_ONLY = OpenShiftOnly()


@dataclass(frozen=True, slots=True)
class NotYet:
    """Known, and refused with this sentence until it is built."""

    rule: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Deprecated:
    """An old form, converted to another field."""

    instead: str


@dataclass(frozen=True, slots=True)
class ForeignPlatform:
    """The options of a platform that Ingot does not install on."""


FOREIGN = ForeignPlatform()


class Nothing(Section):
    """A mapping that has no fields."""


class PlatformChoice(Section):
    """The platforms a config may name; all but bare metal are recognised to be refused."""

    aws: Annotated[object, FOREIGN] = None
    azure: Annotated[object, FOREIGN] = None
    external: Annotated[object, FOREIGN] = None
    gcp: Annotated[object, FOREIGN] = None
    ibmcloud: Annotated[object, FOREIGN] = None
    none: Annotated[object, FOREIGN] = None
    nutanix: Annotated[object, FOREIGN] = None
    openstack: Annotated[object, FOREIGN] = None
    ovirt: Annotated[object, FOREIGN] = None
    powervs: Annotated[object, FOREIGN] = None
    vsphere: Annotated[object, FOREIGN] = None

    @property
    def foreign(self) -> list[str]:
        """The other platforms that are given."""
        names = PlatformChoice.model_fields
        return sorted(name for name in names if getattr(self, name) is not None)
