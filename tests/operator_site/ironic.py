"""The Ironic of a site: real, all in one process, before Redfish BMCs or nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.conf.ironic import IronicConf
from tests.integration.ironic.service import Service, fake_conf
from tests.ports import free_port


class Hardware(StrEnum):
    """What is behind Ironic."""

    REDFISH = "redfish"
    FAKE = "fake-hardware"


def conf_of(hardware: Hardware, *, files: str) -> IronicConf:
    """Return what Ironic is told.

    Args:
        hardware: what it drives.
        files: where BMCs fetch from what Ironic has put into its folder of images.
    """
    conf = fake_conf(free_port())
    if hardware is Hardware.FAKE:
        return conf
    return replace(conf, interfaces=Interfaces(), urls=replace(conf.urls, http=files))


@contextmanager
def ironic(root: Path, folder: Path, conf: IronicConf) -> Iterator[Service]:
    """Run it with an empty database until the end of the block."""
    service = Service(root, conf, folder / "ironic.log")
    service.forget()
    try:
        service.start()
        yield service
    finally:
        service.stop()
        service.forget()
