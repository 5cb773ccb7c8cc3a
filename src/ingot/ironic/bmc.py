"""What Ironic passes on to a BMC for us: virtual media, and subscriptions to its events.

Ironic asks the BMC before it answers most of these, and holds the node's lock meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from ingot.ironic.document import Json, JsonObject, flag, text, text_or_none
from ingot.ironic.lanes import Speed
from ingot.ironic.node import NodeId
from ingot.ironic.nodes import node_path
from ingot.ironic.refusal import Call, VersionError
from ingot.ironic.transport import Transport
from ingot.ironic.version import READ_MEDIA

Reader: TypeAlias = Callable[[Json], str]

__all__ = ["Bmc", "Device", "Medium", "Subscription"]


class Device(StrEnum):
    """What virtual media appears as."""

    CDROM = "cdrom"
    DISK = "disk"
    FLOPPY = "floppy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Medium:
    """A drive for virtual media, and what is in it.

    Attributes:
        types: what it can be, in the BMC's words.
        inserted: whether anything is in it.
        image: where that comes from, as the BMC says.
    """

    types: tuple[str, ...]
    inserted: bool
    image: str | None

    @classmethod
    def read(cls, document: JsonObject) -> Medium:
        """Return a drive from its JSON."""
        types = document.get("media_types")
        return Medium(
            types=tuple(map(str, types)) if isinstance(types, list) else (),
            inserted=flag(document, "inserted"),
            image=text_or_none(document, "image"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A wish to be told of a BMC's events.

    Attributes:
        destination: the address that the BMC is to call.
        context: what it is to send along.
        headers: what it is to send as HTTP headers; they may hold a secret.
    """

    destination: str
    context: str = ""
    headers: tuple[Mapping[str, str], ...] = field(default=(), repr=False)

    def body(self) -> dict[str, Json]:
        """Return it in Redfish's words."""
        said: dict[str, Json] = {
            "Destination": self.destination, "Context": self.context, "Protocol": "Redfish"
        }  # fmt: skip
        if self.headers:
            said["HttpHeaders"] = [dict(header) for header in self.headers]
        return said


class Bmc:
    """Calls that reach a BMC."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def media(self, node: NodeId) -> list[Medium]:
        """Return the drives for virtual media.

        Raises:
            VersionError: this Ironic cannot be asked; from API 1.93 on it can.
        """
        path = f"{node_path(node)}/vmedia"
        version = await self._transport.version()
        if version < READ_MEDIA:
            raise VersionError(
                Call("GET", f"/v1{path}"), f"it speaks {version}, and {READ_MEDIA} is needed"
            )
        return await self._transport.call("GET", path, read=_media, host=node, speed=Speed.SLOW)

    async def attach_media(
        self,
        node: NodeId,
        image_url: str,
        *,
        device: Device = Device.CDROM,
    ) -> None:
        """Have an image put into a drive. How that goes is seen in the node's `last_error`.

        The BMC gets a copy from Ironic's own web server. The API has an option to give it the
        image's address instead, which Ironic 39 loses on its way to the conductor.
        """
        await self._transport.call(
            "POST",
            f"{node_path(node)}/vmedia",
            read=_nothing,
            host=node,
            speed=Speed.SLOW,
            body={
                "device_type": device.value,
                "image_url": image_url,
            },
        )

    async def detach_media(self, node: NodeId, *, device: Device | None = None) -> None:
        """Take an image out of a drive, or out of all."""
        await self._transport.call(
            "DELETE",
            f"{node_path(node)}/vmedia",
            read=_nothing,
            host=node,
            speed=Speed.SLOW,
            query={"device_types": device.value} if device else None,
        )

    async def subscribe(self, node: NodeId, wish: Subscription) -> str:
        """Subscribe to events and return the subscription's identifier on the BMC."""
        return await self._passthru("POST", node, "create_subscription", wish.body(), _identifier)

    async def unsubscribe(self, node: NodeId, identifier: str) -> None:
        """End a subscription."""
        await self._passthru(
            "DELETE", node, "delete_subscription", {"id": identifier}, lambda _: ""
        )

    async def _passthru(
        self, method: str, node: NodeId, name: str, body: dict[str, Json], read: Reader
    ) -> str:
        return await self._transport.call(
            method,
            f"{node_path(node)}/vendor_passthru",
            read=read,
            host=node,
            speed=Speed.SLOW,
            query={"method": name},
            body=body,
        )


def _media(answer: Json) -> list[Medium]:
    if not isinstance(answer, list):
        raise TypeError("the answer is no list")
    return [Medium.read(one) for one in answer if isinstance(one, dict)]


def _identifier(answer: Json) -> str:
    if not isinstance(answer, dict):
        raise TypeError("the answer is no subscription")
    return text(answer, "Id")


def _nothing(answer: Json) -> None:
    del answer
