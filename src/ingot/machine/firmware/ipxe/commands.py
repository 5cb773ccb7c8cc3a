"""All commands by their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ingot.machine.firmware.ipxe.flowcommands import FLOW
from ingot.machine.firmware.ipxe.imagecommands import IMAGES
from ingot.machine.firmware.ipxe.netcommands import NETWORK
from ingot.machine.firmware.ipxe.session import Command
from ingot.machine.firmware.ipxe.settingcommands import SETTINGS

__all__ = ["COMMANDS"]

COMMANDS: Final[Mapping[str, Command]] = MappingProxyType({**FLOW, **SETTINGS, **NETWORK, **IMAGES})
