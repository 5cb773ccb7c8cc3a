"""What is kept of a machine in its domain: libvirt stores it, whoever asks reads it.

A domain's metadata may hold anything in an XML namespace of one's own. Ours says whose machine it
is, so that a domain somebody else made is never taken for one of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from pydantic import TypeAdapter

from ingot.machine.libvirt.platform import Platform
from ingot.machine.model import BootSettings, MachineSpec

__all__ = ["NAMESPACE", "Record", "read_record"]

NAMESPACE = "urn:ingot:machine:1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A machine as its driver knows it.

    Attributes:
        spec: what it is made of.
        platform: what runs it.
        boot: what its firmware has been told.
        medium: the volume in its virtual drive.
    """

    spec: MachineSpec
    platform: Platform
    boot: BootSettings
    medium: str | None = None

    def xml(self, owner: str) -> str:
        """Return it as metadata of a domain."""
        content = escape(_RECORD.dump_json(self).decode())
        return (
            f'<ingot:machine xmlns:ingot="{NAMESPACE}" owner={quoteattr(owner)}>'
            f"{content}</ingot:machine>"
        )


_RECORD = TypeAdapter(Record)


def read_record(domain: ET.Element, owner: str) -> Record | None:
    """Return what a domain keeps for us; None where it is not of this owner."""
    kept = domain.find(f"metadata/{{{NAMESPACE}}}machine")
    if kept is None or kept.get("owner") != owner:
        return None
    return _RECORD.validate_json(kept.text or "")
