"""Which hypervisor an address leads to."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from ingot.machine.hypervisor import (
    HypervisorError,
    UmlPlace,
    hypervisor_at,
    own_libvirt_uri,
    uml_uri,
)
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
    uri = own_libvirt_uri(folder, namespace="lab", tree=Path("/pro grams"))
    place = hypervisor_at(uri, home=HOME, owner="one-x")
    assert isinstance(place, LibvirtPlace)
    assert place.namespace == "lab"
    assert place.driver.pool_path == PurePosixPath(folder / "pools/one-x")
    assert place.driver.program[0].startswith("/pro grams/")
    assert str(folder).replace(" ", "%20") in place.driver.uri


def test_folder_of_user_mode_linux() -> None:
    uri = uml_uri(Path("/a b/c"), namespace="lab", kernel=Path("/k&k/linux"))
    place = hypervisor_at(uri, home=HOME, owner="one-x")
    assert place == UmlPlace(Path("/a b/c"), "lab", Path("/k&k/linux"))
    assert place.flavour == "lab"


@pytest.mark.parametrize(
    ("uri", "missing"),
    [("uml:///a", "netns"), ("uml:///a?netns=b", "kernel"), ("libvirt:///a?netns=b", "tree")],
)
def test_address_that_lacks_something(uri: str, missing: str) -> None:
    with pytest.raises(HypervisorError, match=f"'{missing}' is missing") as raised:
        hypervisor_at(uri, home=HOME, owner="one-x")
    assert "ingot lab create" in str(raised.value.remedy)
