"""The first step of a log-in: a client proposes how to protect a session (§13.17, §13.18)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from ingot.lab.bmc.ipmi.presession import IPMI_HEADER

__all__ = ["OpenRequest", "Status", "Suite"]

_RESPONSE: Final = bytes([0x06, 0x11])
_LENGTH: Final = 32
_AES: Final = 1


class Status(IntEnum):
    """How a step of a log-in went (table 13-15)."""

    OK = 0x00
    NO_RESOURCES = 0x01
    INVALID_ROLE = 0x09
    UNKNOWN_NAME = 0x0D
    INVALID_INTEGRITY = 0x0F
    NO_MATCHING_CIPHERS = 0x11


@dataclass(frozen=True, slots=True)
class Suite:
    """How a session is protected.

    Attributes:
        authentication: the number of what the log-in is signed with.
        integrity: the number of what packets are signed with.
        digest: the hash of both.
        kept: how many bytes of a packet's signature are sent.
    """

    authentication: int
    integrity: int
    digest: Any
    kept: int


_SUITES: Final = (
    Suite(authentication=1, integrity=1, digest=hashlib.sha1, kept=12),
    Suite(authentication=3, integrity=4, digest=hashlib.sha256, kept=16),
)
"""Cipher suites 3 and 17."""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What a client proposes.

    Attributes:
        tag: the number of its message.
        client_session: what it calls the session.
        suite: the protection it wants; None if that is none we have.
    """

    tag: int
    client_session: bytes
    suite: Suite | None

    @classmethod
    def parse(cls, payload: bytes) -> OpenRequest | None:
        """Read the payload of a packet; None if it is too short."""
        if len(payload) < _LENGTH:
            return None
        wanted = payload[12], payload[20], payload[28]
        match = (
            suite for suite in _SUITES if wanted == (suite.authentication, suite.integrity, _AES)
        )
        return cls(tag=payload[0], client_session=payload[4:8], suite=next(match, None))

    def refused(self, status: Status) -> bytes:
        """Return the packet that refuses it."""
        payload = bytes([self.tag, status, 0, 0]) + self.client_session
        length = len(payload).to_bytes(2, "little")
        return IPMI_HEADER + _RESPONSE + bytes(8) + length + payload

    def accepted(self, suite: Suite, *, session: bytes, privilege: int) -> bytes:
        """Return the payload that accepts it, with what we call the session."""
        head = bytes([self.tag, Status.OK, privilege, 0]) + self.client_session + session
        chosen = enumerate((suite.authentication, suite.integrity, _AES))
        return head + b"".join(bytes([kind, 0, 0, 8, number, 0, 0, 0]) for kind, number in chosen)
