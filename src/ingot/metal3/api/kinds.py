"""Every kind of this API."""

from __future__ import annotations

from typing import Final

from ingot.kube.crd.definition import Definition
from ingot.metal3.api import (
    baremetalhost,
    bmceventsubscription,
    dataimage,
    firmwareschema,
    hardwaredata,
    hostfirmwarecomponents,
    hostfirmwaresettings,
    hostupdatepolicy,
    preprovisioningimage,
    provisioning,
)

__all__ = ["DEFINITIONS", "definition_of"]

DEFINITIONS: Final[tuple[Definition, ...]] = (
    baremetalhost.DEFINITION,
    hardwaredata.DEFINITION,
    hostfirmwaresettings.DEFINITION,
    firmwareschema.DEFINITION,
    hostfirmwarecomponents.DEFINITION,
    hostupdatepolicy.DEFINITION,
    preprovisioningimage.DEFINITION,
    dataimage.DEFINITION,
    bmceventsubscription.DEFINITION,
    provisioning.DEFINITION,
)

_BY_MODEL: Final = {definition.model: definition for definition in DEFINITIONS}


def definition_of(model: type) -> Definition:
    """Return what the API server knows of a kind."""
    return _BY_MODEL[model]
