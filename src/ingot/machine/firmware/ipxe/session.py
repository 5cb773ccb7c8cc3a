"""What a running iPXE holds, and the one door to the world around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from ingot.machine.firmware.ipxe.outcome import Outcome
from ingot.machine.firmware.ipxe.script import Script
from ingot.machine.firmware.ipxe.settings import Settings
from ingot.machine.firmware.ipxe.value import Value
from ingot.machine.firmware.target import Target

__all__ = [
    "Command",
    "Image",
    "Left",
    "LineDone",
    "Machine",
    "ScriptDone",
    "Session",
    "Shell",
    "Spinning",
    "resolved",
]

MOST_IDLE_LINES = 10_000
"""How many lines may run without any doing; more is a loop that nothing ends."""


class Machine(Protocol):
    """What a script can do to the world. All of it may raise NotBootable."""

    def say(self, text: str) -> None:
        """Show lines on the console."""

    def pause(self, seconds: float) -> None:
        """Wait."""

    def fetch(
        self, url: str, *, stall: float | None = None, form: Mapping[str, str] | None = None
    ) -> Path:
        """Return a file from the network; nothing may come for at most so many seconds."""

    def configure(self) -> Mapping[str, Value]:
        """Ask DHCP; return what it said, as settings of the card."""

    def local_disk(self, number: int) -> Target:
        """Return what a disk of the machine boots."""

    def disc(self, image: Path) -> Target:
        """Return what an ISO boots."""


@dataclass(slots=True)
class Image:
    """A file that was fetched to be started, or to go with what is."""

    name: str
    url: str
    path: Path
    arguments: tuple[str, ...] = ()


class LineDone(Exception):  # noqa: N818 - flow, not a mistake
    """The rest of a line does not run: a jump was made."""


class ScriptDone(Exception):  # noqa: N818 - flow, not a mistake
    """A script ends here, with a code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Left(Exception):  # noqa: N818 - flow, not a mistake
    """IPXE is left for good."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class Spinning(Exception):  # noqa: N818 - it says what was seen
    """A script runs in circles without doing anything."""


@dataclass(slots=True)
class Session:
    """A running iPXE.

    Attributes:
        machine: the world.
        settings: what is known.
        url: where the running script came from; relative URLs start here.
        images: what was fetched, in its order.
        selected: the one that `boot` starts.
        forms: lists of parameters that URLs can refer to.
    """

    machine: Machine
    settings: Settings
    url: str = ""
    images: list[Image] = field(default_factory=list)
    selected: Image | None = None
    forms: dict[str, dict[str, str]] = field(default_factory=dict)
    _idle: int = 0

    def count_line(self) -> None:
        """Note that a line runs.

        Raises:
            Spinning: nothing but lines has run for too long.
        """
        self._idle += 1
        if self._idle > MOST_IDLE_LINES:
            raise Spinning(f"{MOST_IDLE_LINES} lines ran and did nothing")

    def pause(self, seconds: float) -> None:
        """Wait."""
        self._idle = 0
        self.machine.pause(seconds)

    def fetch(self, url: str, *, stall: float | None) -> tuple[str, Path]:
        """Return a file and its full URL; `##params` at its end sends a form along."""
        self._idle = 0
        plain, _, form = url.partition("##")
        full = resolved(self.url, plain)
        sent = self.forms.get(form.partition("=")[2]) if form else None
        return full, self.machine.fetch(full, stall=stall, form=sent)

    def image(self, name: str) -> Image | None:
        """Return an image that was fetched."""
        return next((image for image in self.images if image.name == name), None)

    def forget(self, name: str | None) -> None:
        """Drop one image, or all."""
        self.images = [image for image in self.images if name and image.name != name]
        if self.selected not in self.images:
            self.selected = None


class Shell(Protocol):
    """What a command has before it: the session, and the scripts that run."""

    session: Session

    def execute(self, words: Sequence[str]) -> int:
        """Run one command; return 0 where it succeeds."""

    def run(self, script: Script) -> int:
        """Run a script to its end; return its result."""

    def jump(self, label: str) -> int:
        """Go on behind a label of the running script."""


Command = Callable[[Shell, tuple[str, ...]], int]


def resolved(start: str, url: str) -> str:
    """Return a URL that may be relative to another, whatever the scheme."""
    if urlsplit(url).scheme:
        return url
    # The library knows relative URLs for HTTP, not for TFTP.
    scheme = urlsplit(start).scheme
    joined = urljoin(start.replace(f"{scheme}:", "http:", 1), url)
    return joined.replace("http:", f"{scheme}:", 1)
