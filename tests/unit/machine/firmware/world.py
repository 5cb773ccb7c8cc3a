"""The world of an iPXE script, in memory: what it fetches, says and waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingot.machine.firmware.download import DownloadFailed
from ingot.machine.firmware.ipxe.interpreter import interpret
from ingot.machine.firmware.ipxe.outcome import Outcome
from ingot.machine.firmware.ipxe.session import Session
from ingot.machine.firmware.ipxe.settings import Settings
from ingot.machine.firmware.ipxe.value import Value
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.model import BootSource

PROGRAM = b"\x7fELF" + bytes(12) + (2).to_bytes(2, "little") + bytes(100)
START = "http://server/boot.ipxe"
DISK = Target(source=BootSource.DISK, kernel=Path("/lab/kernel"))


@dataclass
class World:
    """One such world.

    Attributes:
        folder: where files are put when they are fetched.
        files: what servers have, by URL.
        absent: how often each URL is not there before it is.
    """

    folder: Path
    files: dict[str, bytes] = field(default_factory=dict)
    absent: dict[str, int] = field(default_factory=dict)
    disk: Target | None = None
    lease: Mapping[str, Value] | None = None
    said: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    stalls: list[float | None] = field(default_factory=list)
    forms: list[Mapping[str, str]] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.said.append(text)

    def pause(self, seconds: float) -> None:
        self.waited.append(seconds)

    def fetch(
        self, url: str, *, stall: float | None = None, form: Mapping[str, str] | None = None
    ) -> Path:
        self.fetched.append(url)
        self.stalls.append(stall)
        if form is not None:
            self.forms.append(form)
        if url not in self.files or self.absent.get(url, 0):
            self.absent[url] = self.absent.get(url, 1) - 1
            raise DownloadFailed(f"{url}: 404 Not Found")
        path = self.folder / str(len(self.fetched))
        path.write_bytes(self.files[url])
        return path

    def configure(self) -> Mapping[str, Value]:
        if self.lease is None:
            raise NotBootable("no DHCP server")
        return self.lease

    def local_disk(self, number: int) -> Target:
        if self.disk is None:
            raise NotBootable(f"disk{number}.img is empty")
        return self.disk

    def disc(self, image: Path) -> Target:
        return Target(source=BootSource.NETWORK, kernel=image)

    def serve(self, *lines: str, url: str = START) -> None:
        """Put a script on the server."""
        self.files[url] = "\n".join(("#!ipxe", *lines, "")).encode()

    def run(self, *lines: str, cards: int = 2) -> Outcome:
        """Run a script on a machine with some cards."""
        self.serve(*lines)
        settings = Settings(
            {
                "": {"buildarch": Value.of("i386"), "uuid": Value.of("0" * 32, "uuid")},
                **{
                    f"net{number}": {"mac": Value.of(f"52:54:00:00:00:{number + 1:02x}", "hex")}
                    for number in range(cards)
                },
            }
        )
        return interpret(Session(self, settings), "chain", START)
