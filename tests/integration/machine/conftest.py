"""A rack whose machines boot a guest of ours within a second."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.machine.uml.driver import UmlDriver
from tests.machines.network import made_namespace
from tests.machines.tiny import (
    BRIDGE,
    Guest,
    Rack,
    built_guest,
    built_kernel,
    stub_firmware,
    tiny_spec,
)

NAMESPACE = f"ingot-test-m{os.getpid()}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.geteuid() == 0:
        return
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason="machines and their networks need root"))


@pytest.fixture(scope="session")
def ramdisk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_guest(tmp_path_factory.mktemp("guest"))


@pytest.fixture
def rack(tmp_path: Path, ramdisk: Path) -> Iterator[Rack]:
    """Return where machines are made; the test runs on their network. They are gone afterwards."""
    made = Rack(tmp_path / "machines", built_kernel(), NAMESPACE, stub_firmware(ramdisk))
    with made_namespace(NAMESPACE, BRIDGE):
        try:
            yield made
        finally:
            for folder in made.home.iterdir() if made.home.is_dir() else ():
                made.driver().undefine(folder.name)
    assert made.leftovers() == []


@pytest.fixture
def driver(rack: Rack) -> UmlDriver:
    return rack.driver()


@pytest.fixture
def guest(rack: Rack) -> Guest:
    """Return a machine that is defined, and off."""
    rack.driver().define(tiny_spec())
    return Guest(rack.driver(), rack.home)


@pytest.fixture
def running(guest: Guest) -> Guest:
    """Return a machine whose guest is up."""
    guest.driver.power_on(guest.name)
    guest.comes_up()
    return guest
