"""Which hypervisor an address leads to."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from ingot.machine.hypervisor import HypervisorError, UmlPlace, hypervisor_at
from ingot.machine.libvirt.place import LibvirtPlace

HOME = Path("/install/.ingot/machines")


def test_libvirt_of_this_pc() -> None:
    place = hypervisor_at("qemu:///system", home=HOME, owner="one-x")
    assert isinstance(place, LibvirtPlace)
    assert (place.driver.uri, place.driver.home, place.driver.owner) == (
        "qemu:///system", HOME, "one-x",
    )  # fmt: skip
    assert place.flavour == "metal"


def test_libvirt_of_a_lab_keeps_everything_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a lab"
    uri = f"libvirt://{str(folder).replace(' ', '%20')}?tree=/programs"
    place = hypervisor_at(uri, home=HOME, owner="one-x")
    assert isinstance(place, LibvirtPlace)
    assert place.driver.pool_path == PurePosixPath(folder / "pools/one-x")
    assert place.driver.program[0].startswith("/programs/")
    assert str(folder).replace(" ", "%20") in place.driver.uri


def test_folder_of_user_mode_linux() -> None:
    place = hypervisor_at("uml:///a/b?netns=lab&kernel=/k/linux", home=HOME, owner="one-x")
    assert place == UmlPlace(Path("/a/b"), "lab", Path("/k/linux"))
    assert place.flavour == "lab"


@pytest.mark.parametrize(
    ("uri", "missing"),
    [("uml:///a", "netns"), ("uml:///a?netns=b", "kernel"), ("libvirt:///a", "tree")],
)
def test_address_that_lacks_something(uri: str, missing: str) -> None:
    with pytest.raises(HypervisorError, match=f"'{missing}' is missing") as raised:
        hypervisor_at(uri, home=HOME, owner="one-x")
    assert "ingot lab create" in str(raised.value.remedy)
