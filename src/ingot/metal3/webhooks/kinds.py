"""The kinds that are judged before they are stored.

Not among them, as upstream: HostFirmwareSettings, whose controller knows the schema of its host,
and HostUpdatePolicy, PreprovisioningImage, HardwareData and FirmwareSchema, of which the definition
says all. HostClaim and HostNetworkAttachment have rules upstream; these kinds are not served here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ingot.metal3.webhooks import (
    baremetalhost,
    bmceventsubscription,
    dataimage,
    hostfirmwarecomponents,
    provisioning,
)
from ingot.metal3.webhooks.judging import Judge

__all__ = ["JUDGES"]

JUDGES: Final[Mapping[str, Judge[Any]]] = {
    judge.model.__name__: judge
    for judge in (
        baremetalhost.JUDGE,
        bmceventsubscription.JUDGE,
        dataimage.JUDGE,
        hostfirmwarecomponents.JUDGE,
        provisioning.JUDGE,
    )
}
"""By the kind's name."""
