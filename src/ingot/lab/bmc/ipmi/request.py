"""A request of someone who is logged in, and what a BMC says to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Completion", "Function", "Privilege", "Reply", "Request"]


class Function(IntEnum):
    """What a request is about (table 5-1)."""

    CHASSIS = 0x00
    SENSOR = 0x04
    APPLICATION = 0x06
    STORAGE = 0x0A


class Privilege(IntEnum):
    """What a session may do (§6.8)."""

    CALLBACK = 1
    USER = 2
    OPERATOR = 3
    ADMINISTRATOR = 4


class Completion(IntEnum):
    """How a request went (table 5-2); below 0xc0 the meaning depends on the command."""

    OK = 0x00
    PARAMETER_NOT_SUPPORTED = 0x80
    PRIVILEGE_EXCEEDS_LIMIT = 0x81
    NO_SUCH_SESSION = 0x87
    INVALID_COMMAND = 0xC1
    WRONG_LENGTH = 0xC7
    NOT_PRESENT = 0xCB
    INVALID_FIELD = 0xCC
    INSUFFICIENT_PRIVILEGE = 0xD4
    UNSPECIFIED = 0xFF


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked.

    Attributes:
        function: see `Function`; others exist.
        command: its number within the function.
        data: what comes with it.
    """

    function: int
    command: int
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered."""

    code: Completion = Completion.OK
    data: bytes = b""
