"""The one way to speak to libvirt: `virsh`, with a time limit, in plain English.

A connection over SSH may hang for minutes before anyone notices, so each call is ended by
`timeout`. Messages are read by `refusal`, which knows them in English only; `run` sees to that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from ingot import process
from ingot.machine.libvirt.refusal import LibvirtRefused, refusal

__all__ = ["Virsh", "read_xml"]

SECONDS = 60
TRANSFER_SECONDS = 3600
"""How long a call may take; and one that carries a disk image, perhaps to another machine."""

LARGEST_XML = 4 << 20
"""A domain of ours is about ten thousand characters, capabilities are a hundred thousand."""


@dataclass(frozen=True, slots=True)
class Virsh:
    """A connection to libvirt.

    Attributes:
        uri: which libvirt.
        command: the program, and what goes before the arguments.
    """

    uri: str
    command: tuple[str, ...] = ("virsh",)

    @property
    def is_local(self) -> bool:
        """Whether that libvirt sees the files of this machine."""
        parts = urlsplit(self.uri)
        return not parts.netloc and parts.scheme in ("qemu", "qemu+unix")

    def words(self, *words: str | Path) -> list[str]:
        """Return the whole command for one of virsh's commands."""
        return [*self.command, "--connect", self.uri, "--quiet", *map(str, words)]

    def __call__(self, *words: str | Path, stdin: str = "", seconds: int = SECONDS) -> str:
        """Run one of virsh's commands and return what it says.

        Raises:
            LibvirtRefused: it failed; a subclass where it is known why.
        """
        if "/" not in self.command[0]:
            process.require({self.command[0]: "libvirt-clients"})
        try:
            return process.run(["timeout", str(seconds), *self.words(*words)], stdin=stdin)
        except process.CommandFailed as failed:
            asked = " ".join(str(word) for word in words)
            raise refusal(self.uri, asked, failed.returncode, failed.output) from failed

    def xml(self, *words: str | Path) -> ET.Element:
        """Run one of virsh's commands that answers with XML."""
        return read_xml(self(*words))

    def define(self, domain: str) -> None:
        """Define a domain, or replace its definition."""
        self("define", "/dev/stdin", "--validate", stdin=domain)

    def unless(self, settled: Callable[[], bool], *words: str | Path) -> None:
        """Run a command that may fail because what it is for has come true by itself."""
        try:
            self(*words)
        except LibvirtRefused:
            if not settled():
                raise


def read_xml(text: str) -> ET.Element:
    """Read what libvirt answered.

    It may have come from another machine. What makes XML dangerous is entities, and libvirt never
    declares any.

    Raises:
        LibvirtRefused: it is not XML as libvirt writes it.
    """
    if len(text) > LARGEST_XML or "<!" in text.replace("<!--", ""):
        raise LibvirtRefused("libvirt's answer is not what libvirt writes", remedy="check its URI")
    try:
        return ET.fromstring(text)  # noqa: S314 - without declarations there are no entities
    except ET.ParseError as broken:
        raise LibvirtRefused(
            f"libvirt's answer is not XML: {broken}", remedy="check its URI"
        ) from broken
