"""What Ironic has learnt of a server's hardware: inventory, BIOS settings, firmware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ingot.ironic.document import Json, JsonObject, members, table, text, text_or_none
from ingot.ironic.node import NodeId
from ingot.ironic.nodes import node_path
from ingot.ironic.refusal import NotFoundError
from ingot.ironic.transport import Transport

__all__ = ["BiosSetting", "FirmwareComponent", "Hardware", "Inventory"]


@dataclass(frozen=True, slots=True)
class Inventory:
    """What an inspection found.

    Attributes:
        inventory: the agent's inventory: CPU, memory, disks, interfaces, vendor.
        plugin_data: what Ironic's hooks made of it, such as LLDP neighbours.
    """

    inventory: Mapping[str, Json]
    plugin_data: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class BiosSetting:
    """A setting of the BIOS, with what the BMC's registry says of it, where there is one."""

    name: str
    value: str | None
    attribute_type: str | None = None
    allowable_values: tuple[str, ...] | None = None
    lower_bound: int | None = None
    upper_bound: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    read_only: bool | None = None
    reset_required: bool | None = None
    unique: bool | None = None

    @classmethod
    def read(cls, document: JsonObject) -> BiosSetting:
        """Return a setting from its JSON."""
        allowed = document.get("allowable_values")
        return BiosSetting(
            name=text(document, "name"),
            value=_as_text(document.get("value")),
            attribute_type=text_or_none(document, "attribute_type"),
            allowable_values=tuple(map(str, allowed)) if isinstance(allowed, list) else None,
            lower_bound=_number(document, "lower_bound"),
            upper_bound=_number(document, "upper_bound"),
            min_length=_number(document, "min_length"),
            max_length=_number(document, "max_length"),
            read_only=_truth(document, "read_only"),
            reset_required=_truth(document, "reset_required"),
            unique=_truth(document, "unique"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareComponent:
    """A part of a server that has firmware of its own: `bios`, `bmc`, `nic:…`.

    Attributes:
        component: its name.
        initial_version: what Ironic found when it first looked.
        current_version: what is there now.
        last_version_flashed: what Ironic has last written.
        updated_at: when Ironic last looked.
    """

    component: str
    initial_version: str | None
    current_version: str | None
    last_version_flashed: str | None
    updated_at: str | None

    @classmethod
    def read(cls, document: JsonObject) -> FirmwareComponent:
        """Return a component from its JSON."""
        return FirmwareComponent(
            component=text(document, "component"),
            initial_version=text_or_none(document, "initial_version"),
            current_version=text_or_none(document, "current_version"),
            last_version_flashed=text_or_none(document, "last_version_flashed"),
            updated_at=text_or_none(document, "updated_at"),
        )


class Hardware:
    """Calls about what is known of a server. Ironic answers from its database, not from the BMC."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def inventory(self, node: NodeId) -> Inventory | None:
        """Return what inspection found, or None if there was none yet.

        Raises:
            NotFoundError: there is no such node. Ironic says 404 to both; only its words differ.
        """
        try:
            return await self._transport.call(
                "GET", f"{node_path(node)}/inventory", read=_inventory, host=node
            )
        except NotFoundError as missing:
            if "inventory" in missing.reason:
                return None
            raise

    async def bios_settings(self, node: NodeId) -> list[BiosSetting]:
        """Return the settings of the BIOS."""
        return await self._transport.call(
            "GET",
            f"{node_path(node)}/bios",
            read=lambda answer: [BiosSetting.read(one) for one in members(answer, "bios")],
            host=node,
            query={"detail": "true"},
        )

    async def firmware(self, node: NodeId) -> list[FirmwareComponent]:
        """Return the components with firmware."""
        return await self._transport.call(
            "GET",
            f"{node_path(node)}/firmware",
            read=lambda answer: [
                FirmwareComponent.read(one) for one in members(answer, "firmware")
            ],
            host=node,
        )


def _inventory(answer: Json) -> Inventory:
    if not isinstance(answer, dict):
        raise TypeError("the answer is no inventory")
    return Inventory(table(answer, "inventory"), table(answer, "plugin_data"))


def _as_text(value: Json) -> str | None:
    """Return a setting's value as the text that BMCs and people write."""
    return value if value is None or isinstance(value, str) else str(value)


def _number(document: JsonObject, key: str) -> int | None:
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _truth(document: JsonObject, key: str) -> bool | None:
    value = document.get(key)
    return value if isinstance(value, bool) else None
