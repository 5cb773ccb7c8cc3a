"""How a host is inspected, in a field and in two annotations that have to agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost, InspectionMode
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.webhooks.finding import Finding, shown
from ingot.metal3.webhooks.strictjson import misread

__all__ = [
    "annotation_agrees_with_mode",
    "annotation_is_a_known_word",
    "hardware_details_can_be_taken",
    "is_disabled",
]

INSPECT_FIELD: Final = f"metadata.annotations[{annotation.INSPECT}]"
DETAILS_FIELD: Final = f"metadata.annotations[{annotation.HARDWARE_DETAILS}]"


def is_disabled(host: BareMetalHost) -> bool:
    """Return whether nothing ever inspects the host."""
    said = host.metadata.annotations.get(annotation.INSPECT)
    return (
        said == annotation.INSPECT_DISABLED or host.spec.inspection_mode is InspectionMode.DISABLED
    )


def annotation_is_a_known_word(host: BareMetalHost) -> Iterator[Finding]:
    """Row 20: the inspect annotation is empty or says disabled."""
    said = host.metadata.annotations.get(annotation.INSPECT, "")
    if said not in ("", annotation.INSPECT_DISABLED):
        yield Finding(
            INSPECT_FIELD,
            f"is {shown(said)}",
            "leave it empty to inspect the host again, or set disabled",
        )


def hardware_details_can_be_taken(host: BareMetalHost) -> Iterator[Finding]:
    """Row 21: hardware is described only for a host that is not inspected, in known fields."""
    said = host.metadata.annotations.get(annotation.HARDWARE_DETAILS)
    if said is None:
        return
    if not is_disabled(host):
        yield Finding(
            DETAILS_FIELD,
            "describes the hardware of a host that is inspected",
            f"set spec.inspectionMode or the annotation {annotation.INSPECT} to disabled, "
            "or remove the description",
        )
    if why := misread(HardwareDetails, said):
        yield Finding(
            DETAILS_FIELD,
            f"does not describe hardware: {why}",
            "write it as in status.hardware of an inspected host",
        )


def annotation_agrees_with_mode(host: BareMetalHost) -> Iterator[Finding]:
    """Row 22: the inspect annotation and spec.inspectionMode do not contradict each other."""
    said = host.metadata.annotations.get(annotation.INSPECT)
    mode = host.spec.inspection_mode
    if said is None or mode is None:
        return
    if (said == annotation.INSPECT_DISABLED) != (mode is InspectionMode.DISABLED):
        meant = "disables inspection" if said else "asks for an inspection"
        yield Finding(
            INSPECT_FIELD,
            f"{meant}, which contradicts spec.inspectionMode {mode}",
            "remove the annotation; the field alone says it",
        )
