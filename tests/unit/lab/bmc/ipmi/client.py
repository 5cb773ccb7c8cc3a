"""A client of IPMI 2.0, written from the specification and sharing no code with what it tests."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

HEADER = bytes([6, 0, 0xFF, 7])
DIGESTS = {3: (hashlib.sha1, 12, (1, 1, 1)), 17: (hashlib.sha256, 16, (3, 4, 1))}


def summed(data: bytes) -> bytes:
    return data + bytes([-sum(data) & 0xFF])


def message(function: int, command: int, data: bytes = b"", *, number: int = 0) -> bytes:
    """Return a request as it is in any packet."""
    return summed(bytes([0x20, function << 2])) + summed(bytes([0x81, number << 2, command]) + data)


def packet_15(content: bytes) -> bytes:
    return HEADER + bytes([0]) + bytes(8) + bytes([len(content)]) + content


def packet_20(kind: int, content: bytes) -> bytes:
    return HEADER + bytes([6, kind]) + bytes(8) + len(content).to_bytes(2, "little") + content


class Refused(Exception):  # noqa: N818 - it says what happened
    """A log-in was refused, with this status."""

    def __init__(self, step: str, status: int) -> None:
        super().__init__(step, status)
        self.step = step
        self.status = status


@dataclass
class Client:
    """One that speaks through a function: a packet in, the packets that come back out."""

    exchange: Callable[[bytes], list[bytes]]
    username: str = "admin"
    password: str = "correct-horse"
    suite: int = 3
    role: int = 4
    tag: int = 0
    sequence: int = 1
    number: int = 0
    session: bytes = field(default_factory=lambda: os.urandom(4))
    theirs: bytes = b""

    def one(self, packet: bytes) -> bytes:
        answers = self.exchange(packet)
        assert len(answers) == 1, f"{len(answers)} answers"
        return answers[0]

    def open(self) -> None:
        """Propose a session."""
        proposed = b"".join(
            bytes([kind, 0, 0, 8, algorithm, 0, 0, 0])
            for kind, algorithm in enumerate(DIGESTS.get(self.suite, (None, 0, (9, 9, 9)))[2])
        )
        answer = self.one(packet_20(0x10, bytes([self.tag, 0, 0, 0]) + self.session + proposed))
        self._check("open", answer[16:])
        self.theirs = answer[24:28]

    def log_in(self) -> None:
        """Prove the password, and have it proved."""
        self.rakp1()
        self.rakp3()

    def rakp1(self) -> None:
        """Open a session and have the other side prove the password."""
        self.open()
        self._who = bytes([self.role, len(self.username)]) + self.username.encode()
        self._mine = os.urandom(16)
        tail = self._who[:1] + bytes(2) + self._who[1:]
        answer = self.one(
            packet_20(0x12, bytes([self.tag, 0, 0, 0]) + self.theirs + self._mine + tail)
        )[16:]
        self._check("rakp2", answer)
        self._random, self._guid, self._proof = answer[8:24], answer[24:40], answer[40:]

    def rakp3(self) -> None:
        """Prove the password, or say that the other side has another one."""
        key = self.password.encode()
        names = self.session + self.theirs + self._mine + self._random + self._guid
        status = 0 if self._proof == self._sign(key, names + self._who) else 0x0F
        signed = b"" if status else self._sign(key, self._random + self.session + self._who)
        self.last = packet_20(0x14, bytes([self.tag, status, 0, 0]) + self.theirs + signed)
        answer = self.one(self.last)[16:]
        self._check("rakp4", answer)
        self.sik = self._sign(key, self._mine + self._random + self._who)
        known = self._sign(self.sik, self._mine + self.theirs + self._guid)
        assert answer[8:] == known[: self._kept]

    def ask(self, function: int, command: int, data: bytes = b"") -> tuple[int, bytes]:
        """Return the completion code and the data of the answer to a request."""
        self.number = (self.number + 1) % 64
        return self.read(self.one(self.request(function, command, data)))

    def request(self, function: int, command: int, data: bytes = b"") -> bytes:
        """Return the packet of a request under the current number."""
        self.sequence += 1
        content = message(function, command, data, number=self.number)
        pad = -(len(content) + 1) % 16
        plain = content + bytes(range(1, pad + 1)) + bytes([pad])
        start = os.urandom(16)
        cipher = Cipher(algorithms.AES(self._k2), modes.CBC(start)).encryptor()
        sealed = start + cipher.update(plain) + cipher.finalize()
        body = bytes([6, 0xC0]) + self.theirs + self.sequence.to_bytes(4, "little")
        body += len(sealed).to_bytes(2, "little") + sealed
        fill = -(len(body) + 2) % 4
        body += b"\xff" * fill + bytes([fill, 7])
        return HEADER + body + self._sign(self._k1, body)[: self._kept]

    def read(self, packet: bytes) -> tuple[int, bytes]:
        """Return what a protected packet says, after checking all that can be checked."""
        body, signature = packet[4 : -self._kept], packet[-self._kept :]
        assert signature == self._sign(self._k1, body)[: self._kept]
        assert packet[5] == 0xC0
        assert packet[6:10] == self.session
        sealed = packet[16 : 16 + int.from_bytes(packet[14:16], "little")]
        cipher = Cipher(algorithms.AES(self._k2), modes.CBC(sealed[:16])).decryptor()
        plain = cipher.update(sealed[16:]) + cipher.finalize()
        content = plain[: -plain[-1] - 1]
        assert sum(content[:3]) & 0xFF == 0
        assert sum(content[3:]) & 0xFF == 0
        assert content[4] >> 2 == self.number
        return content[6], content[7:-1]

    def close(self) -> tuple[int, bytes]:
        return self.ask(6, 0x3C, self.theirs)

    @property
    def _kept(self) -> int:
        return DIGESTS[self.suite][1]

    @property
    def _k1(self) -> bytes:
        return self._sign(self.sik, b"\1" * 20)

    @property
    def _k2(self) -> bytes:
        return self._sign(self.sik, b"\2" * 20)[:16]

    def _sign(self, key: bytes, data: bytes) -> bytes:
        return hmac.new(key, data, DIGESTS[self.suite][0]).digest()

    def _check(self, step: str, payload: bytes) -> None:
        assert payload[0] == self.tag
        assert payload[4:8] == self.session
        if payload[1]:
            raise Refused(step, payload[1])
