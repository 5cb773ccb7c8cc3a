"""Finalizers: what keeps an object until the operator has let go of it."""

from __future__ import annotations

from typing import Final

__all__ = [
    "DATA_IMAGE",
    "EVENT_SUBSCRIPTION",
    "HARDWARE_DATA",
    "HOST",
    "PREPROVISIONING_IMAGE",
    "PREPROVISIONING_IMAGE_OF_HOST",
    "PROVISIONING",
    "SECRET",
]

HOST: Final = "baremetalhost.metal3.io"

SECRET: Final = "baremetalhost.metal3.io/secret"  # noqa: S105 - a finalizer's name
"""On the BMC's Secret and that of the pre-provisioning network; not on user data."""

HARDWARE_DATA: Final = "baremetalhost.metal3.io/hardwareData"

PREPROVISIONING_IMAGE_OF_HOST: Final = "baremetalhost.metal3.io/preprovisioningImage"
"""Held by the host's controller."""

PREPROVISIONING_IMAGE: Final = "preprovisioningimage.metal3.io"
"""Held by the image's own controller."""

EVENT_SUBSCRIPTION: Final = "bmceventsubscription.metal3.io"
DATA_IMAGE: Final = "dataimage.metal3.io"
PROVISIONING: Final = "provisioning.metal3.io"
