from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ingot.machine.libvirt.record import read_record
from ingot.machine.libvirt.virsh import read_xml
from ingot.machine.model import BootSource
from tests.unit.machine.libvirt.machines import UEFI, domain, record

TOLD = record(
    replace(UEFI, once=BootSource.MEDIA, media=Path("/media/a & <b>.iso")), medium="node-1.medium-1"
)


def test_record_is_read_from_the_domain_as_it_was_written() -> None:
    assert read_record(read_xml(domain(TOLD).xml()), "lab-a") == TOLD


def test_domain_of_another_owner_is_not_ours() -> None:
    assert read_record(read_xml(domain(TOLD).xml()), "lab-b") is None


def test_domain_that_somebody_made_by_hand_is_not_ours() -> None:
    assert read_record(read_xml("<domain><name>lab-a-node-1</name></domain>"), "lab-a") is None
