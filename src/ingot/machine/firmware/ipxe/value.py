"""Values of settings: bytes with a type, and the text that each type makes of them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from types import MappingProxyType
from typing import Final
from urllib.parse import quote
from uuid import UUID

__all__ = ["BadValue", "Value"]

_INTEGERS = {"int8": 1, "int16": 2, "int32": 4}
_UNSIGNED = {"uint8": 1, "uint16": 2, "uint32": 4}


class BadValue(ValueError):  # noqa: N818 - it says what a text is
    """A text that a type cannot hold, or a type that does not exist."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a setting holds."""

    raw: bytes
    kind: str = "string"

    @classmethod
    def of(cls, text: str, kind: str = "string") -> Value:
        """Read a text by a type.

        Raises:
            BadValue: it cannot be read so.
        """
        try:
            return cls(_READERS[kind](text), kind)
        except KeyError as unknown:
            raise BadValue(f"unknown type {kind!r}") from unknown
        except (ValueError, OverflowError) as wrong:
            raise BadValue(f"{text!r} is not of type {kind}") from wrong

    def shown(self, kind: str | None = None) -> str:
        """Return its text, by a type of choice.

        Raises:
            BadValue: there is no such type.
        """
        try:
            return _WRITERS[kind or self.kind](self.raw)
        except KeyError as unknown:
            raise BadValue(f"unknown type {kind!r}") from unknown

    @property
    def number(self) -> int:
        """Its bytes as a number; a text that spells one counts as that."""
        if self.kind == "string":
            return int(self.raw.decode(errors="replace"), 0)
        return int.from_bytes(self.raw, "big", signed=self.kind in _INTEGERS)


def _integer(length: int, *, signed: bool) -> Callable[[str], bytes]:
    return lambda text: int(text, 0).to_bytes(length, "big", signed=signed)


def _hex(separator: str) -> Callable[[str], bytes]:
    return lambda text: bytes.fromhex(text.replace(separator, "") if separator else text)


def _pairs(separator: str) -> Callable[[bytes], str]:
    return lambda raw: separator.join(f"{byte:02x}" for byte in raw)


def _addresses(raw: bytes) -> str:
    return " ".join(str(IPv4Address(raw[at : at + 4])) for at in range(0, len(raw) // 4 * 4, 4))


def _uuid(raw: bytes) -> str:
    return str(UUID(bytes=raw)) if len(raw) == 16 else raw.hex()  # noqa: PLR2004 - a UUID's length


_READERS: Final[Mapping[str, Callable[[str], bytes]]] = MappingProxyType(
    {
        "string": str.encode,
        "uristring": str.encode,
        "ipv4": lambda text: IPv4Address(text).packed,
        "hex": _hex(":"),
        "hexhyp": _hex("-"),
        "hexraw": _hex(""),
        "base64": lambda text: base64.b64decode(text, validate=True),
        "uuid": lambda text: UUID(text).bytes,
        **{name: _integer(length, signed=True) for name, length in _INTEGERS.items()},
        **{name: _integer(length, signed=False) for name, length in _UNSIGNED.items()},
    }
)

_WRITERS: Final[Mapping[str, Callable[[bytes], str]]] = MappingProxyType(
    {
        "string": lambda raw: raw.decode(errors="replace"),
        "uristring": lambda raw: quote(raw, safe=""),
        "ipv4": _addresses,
        "hex": _pairs(":"),
        "hexhyp": _pairs("-"),
        "hexraw": bytes.hex,
        "base64": lambda raw: base64.b64encode(raw).decode(),
        "uuid": _uuid,
        **{name: lambda raw: str(int.from_bytes(raw, "big", signed=True)) for name in _INTEGERS},
        **{name: lambda raw: hex(int.from_bytes(raw, "big")) for name in _UNSIGNED},
    }
)
