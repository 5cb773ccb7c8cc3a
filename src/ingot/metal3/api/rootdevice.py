"""Hints that single out one disk of a server."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import OMIT_EMPTY, WIRE, Text

__all__ = ["RootDeviceHints"]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class RootDeviceHints:
    """Properties of the wanted disk. All that are given must hold."""

    device_name: Text = ""
    """The device, such as `/dev/vda` or one below `/dev/disk/by-path/`."""

    hctl: Text = ""
    """The SCSI address, such as `0:0:0:0`."""

    model: Text = ""
    """A part of the model."""

    vendor: Text = ""
    """A part of the maker's name."""

    serial_number: Text = ""
    """The serial number."""

    min_size_gigabytes: Annotated[int, Field(ge=0), OMIT_EMPTY] = 0
    """The smallest size that will do."""

    wwn: Text = ""
    """The world wide name."""

    wwn_with_extension: Text = ""
    """The world wide name with the vendor's part."""

    wwn_vendor_extension: Text = ""
    """The vendor's part of the world wide name."""

    rotational: bool | None = None
    """Whether it spins."""
