"""FirmwareSchema: hosts whose settings have the same limits share one, which its name tells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from ingot.ironic.hardware import BiosSetting
from ingot.metal3.api.firmwareschema import FirmwareSchemaSpec
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.reading import written
from ingot.metal3.node.firmware import bios_schema

__all__ = ["schema_name", "schema_spec"]

PRINT_CHARACTERS = 8


def schema_spec(
    settings: Iterable[BiosSetting], hardware: HardwareDetails | None
) -> FirmwareSchemaSpec:
    """Return what values settings may have, and of which servers that is said."""
    vendor = hardware.system_vendor if hardware else None
    return FirmwareSchemaSpec(
        hardware_vendor=vendor.manufacturer if vendor else "",
        hardware_model=vendor.product_name if vendor else "",
        schema=bios_schema(settings),
    )


def schema_name(spec: FirmwareSchemaSpec) -> str:
    """Return what a schema is called: by its limits alone, whoever made the servers."""
    limits: dict[str, Any] = written(spec)["schema"]
    text = json.dumps(limits, sort_keys=True, separators=(",", ":"))
    return f"schema-{hashlib.sha256(text.encode()).hexdigest()[:PRINT_CHARACTERS]}"
