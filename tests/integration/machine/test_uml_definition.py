"""A User-Mode Linux machine is made once, finished when half made, and removed without a rest."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.machine.driver import MachineError, NoSuchMachine
from ingot.machine.home import Home
from ingot.machine.model import Disk, MachineSpec, Power
from ingot.machine.uml import driver as driving
from ingot.machine.uml.driver import MachineDiffers, UmlDriver
from ingot.process import CommandFailed
from tests.e2e.site import call
from tests.machines.tiny import BRIDGE, Guest, Rack, tiny_spec

MEGABYTE = 1 << 20


def links(*options: str) -> dict[str, dict[str, object]]:
    listed = json.loads(call("ip", *options, "-json", "-details", "link", "show"))
    return {link["ifname"]: link for link in listed}


def ports() -> set[str]:
    """Return what is plugged into the bridge."""
    return {name for name, link in links().items() if link.get("master") == BRIDGE}


def test_machine_has_a_folder_of_its_owner_alone(guest: Guest) -> None:
    assert stat.S_IMODE(guest.folder.stat().st_mode) == 0o700
    assert guest.driver.machines() == (guest.name,)
    assert guest.driver.spec(guest.name) == tiny_spec()


def test_each_card_has_a_port_for_the_kernel_and_one_for_the_firmware(guest: Guest) -> None:
    assert ports() == {"t0-0", "t0-0f", "t0-1", "t0-1f"}
    namespace = Home(guest.folder).parts().namespace
    inside = links("-n", namespace)
    for number, nic in enumerate(tiny_spec().nics):
        assert inside[f"net{number}"]["address"] == nic.mac
        assert "UP" not in str(inside[f"net{number}"]["flags"])


def test_nothing_of_a_new_machine_speaks_ipv6(guest: Guest) -> None:
    namespace = Home(guest.folder).parts().namespace
    call("ip", "-n", namespace, "link", "set", "net0", "up")
    for where in ([], ["-n", namespace]):
        listed = json.loads(call("ip", *where, "-6", "-json", "address", "show"))
        assert [link["ifname"] for link in listed if link.get("ifname") != BRIDGE] == []


def test_firmware_reaches_the_bridge_by_each_card(guest: Guest) -> None:
    namespace = Home(guest.folder).parts().namespace
    call("ip", "address", "add", "192.0.2.1/24", "dev", BRIDGE)
    with socket.create_server(("192.0.2.1", 7)):
        for card in ("net0", "net1"):
            call("ip", "-n", namespace, "link", "set", card, "up")
            call("ip", "-n", namespace, "address", "add", "192.0.2.2/24", "dev", card)
            connecting = "import socket; socket.create_connection(('192.0.2.1', 7), 20)"
            call("ip", "netns", "exec", namespace, sys.executable, "-c", connecting)
            call("ip", "-n", namespace, "address", "flush", "dev", card)
            call("ip", "-n", namespace, "link", "set", card, "down")


def test_disks_are_as_large_as_told_and_cost_nothing(guest: Guest) -> None:
    facts = Home(guest.folder).disk(0).stat()
    assert facts.st_size == MEGABYTE
    assert facts.st_blocks == 0


def with_image(image: Path, size: int) -> MachineSpec:
    disk = Disk(size_bytes=size, serial="IMAGE", wwn="0x1", image=image)
    return replace(tiny_spec(), disks=(disk,))


def test_disk_starts_out_with_its_image_and_keeps_its_holes(
    driver: UmlDriver, rack: Rack, tmp_path: Path
) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.write(b"first")
        file.truncate(MEGABYTE)
    driver.define(with_image(image, 4 * MEGABYTE))
    disk = Home(rack.home / "tiny").disk(0)
    assert disk.read_bytes()[:5] == b"first"
    assert disk.stat().st_size == 4 * MEGABYTE
    assert disk.stat().st_blocks * 512 <= 64 * 1024


def test_image_that_does_not_fit_is_refused(driver: UmlDriver, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(1000))
    with pytest.raises(MachineError, match="1000 bytes and the disk IMAGE only 512") as refused:
        driver.define(with_image(image, 512))
    assert refused.value.remedy
    assert driver.machines() == ()


def test_defining_again_changes_nothing(running: Guest) -> None:
    running.does("write", "kept")
    before = links()
    running.driver.define(tiny_spec())
    assert running.driver.power(running.name) is Power.ON
    assert links().keys() == before.keys()
    assert "/dev/ubda: kept" in running.does("show", "/dev/ubda")


def test_another_machine_of_the_same_name_is_refused(guest: Guest) -> None:
    with pytest.raises(MachineDiffers, match="'tiny'") as refused:
        guest.driver.define(replace(tiny_spec(), memory_mib=128))
    assert "remove it first" in refused.value.remedy
    assert guest.driver.spec(guest.name) == tiny_spec()


def test_machine_without_its_bridge_is_refused_and_can_be_removed(
    driver: UmlDriver, rack: Rack
) -> None:
    spec = tiny_spec()
    lost = replace(spec, nics=(spec.nics[0], replace(spec.nics[1], bridge="nowhere")))
    with pytest.raises(CommandFailed) as failed:
        driver.define(lost)
    assert "nowhere" in failed.value.remedy
    assert driver.machines() == ()
    driver.undefine(spec.name)
    assert ports() == set()
    assert list(rack.home.iterdir()) == []


class Killed(BaseException):
    """What happens after some step of making a machine."""


@pytest.mark.parametrize(
    ("place", "step"), [(driving, "make_disk"), (driving, "connect"), (Home, "set_firmware")]
)
@pytest.mark.parametrize("then", ["define", "define another", "undefine"])
def test_half_made_machine_is_finished_or_removed(
    rack: Rack, monkeypatch: pytest.MonkeyPatch, place: object, step: str, then: str
) -> None:
    driver = rack.driver()
    real = getattr(place, step)

    def dies(*words: object) -> None:
        real(*words)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(place, step, dies)
        with pytest.raises(Killed):
            driver.define(tiny_spec())
    assert driver.machines() == ()
    with pytest.raises(NoSuchMachine):
        driver.power("tiny")

    if then == "undefine":
        driver.undefine("tiny")
        assert ports() == set()
        assert list(rack.home.iterdir()) == []
        return
    wanted = tiny_spec(number=7 if "another" in then else 0)
    driver.define(wanted)
    guest = Guest(driver, rack.home)
    driver.power_on("tiny")
    guest.comes_up()
    assert ports() == {port for nic in wanted.nics for port in (nic.port, f"{nic.port}f")}


@pytest.mark.parametrize("again", ["power_on", "define"])
def test_links_come_back_after_a_reboot_of_the_pc(guest: Guest, again: str) -> None:
    namespace = Home(guest.folder).parts().namespace
    call("ip", "netns", "delete", namespace)
    for nic in tiny_spec().nics:
        call("ip", "link", "delete", nic.port)

    if again == "define":
        guest.driver.define(tiny_spec())
        assert len(ports()) == 4
    guest.driver.power_on(guest.name)
    guest.comes_up()
    assert ports() == {"t0-0", "t0-0f", "t0-1", "t0-1f"}
    assert {"net0", "net1"} <= links("-n", namespace).keys()


def test_firmware_ports_into_a_lost_namespace_are_replaced(guest: Guest) -> None:
    namespace = Home(guest.folder).parts().namespace
    with subprocess.Popen(
        ["ip", "netns", "exec", namespace, "sh", "-c", "echo inside; cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as inside:
        # Someone still in the namespace keeps it alive, and so its links, when its name is gone.
        assert inside.stdout is not None
        assert inside.stdout.readline() == b"inside\n"
        call("ip", "netns", "delete", namespace)
        assert "t0-0f" in ports()
        guest.driver.define(tiny_spec())
        assert {"net0", "net1"} <= links("-n", namespace).keys()
        inside.communicate(b"")


def test_removing_takes_everything_and_may_be_repeated(guest: Guest, rack: Rack) -> None:
    before = set(links()) - {"t0-0", "t0-0f", "t0-1", "t0-1f"}
    guest.driver.undefine(guest.name)
    assert set(links()) == before
    assert rack.leftovers() == [f"/run/netns/{rack.prefix}"]
    guest.driver.undefine(guest.name)
    guest.driver.undefine("never-was")


def test_machine_can_be_removed_after_a_reboot_of_the_pc(guest: Guest, rack: Rack) -> None:
    call("ip", "netns", "delete", Home(guest.folder).parts().namespace)
    for nic in tiny_spec().nics:
        call("ip", "link", "delete", nic.port)
    guest.driver.undefine(guest.name)
    assert rack.leftovers() == [f"/run/netns/{rack.prefix}"]


@pytest.mark.parametrize("name", ["", ".", "..", "../tiny", "a/b", "UPPER"])
def test_name_never_leads_out_of_the_folder(guest: Guest, name: str) -> None:
    with pytest.raises(NoSuchMachine):
        guest.driver.undefine(name)
    assert guest.driver.machines() == (guest.name,)


def test_machine_works_below_a_very_long_path(rack: Rack, tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    assert len(os.fsencode(home)) > 108
    far = Rack(home, rack.kernel, f"{rack.prefix}-far", rack.firmware)
    driver = far.driver()
    driver.define(tiny_spec(number=1))
    try:
        guest = Guest(driver, home)
        driver.power_on("tiny")
        guest.comes_up()
        driver.press_power_button("tiny")
        guest.shows(lambda: driver.power("tiny") is Power.OFF)
        assert "guest: asked" in guest.console
    finally:
        driver.undefine("tiny")
    assert far.leftovers() == []
