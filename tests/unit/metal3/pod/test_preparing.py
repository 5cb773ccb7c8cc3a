"""What is there before the pod's programs start."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.ironic.conf.dnsmasq import ROMS
from ingot.metal3.pod import places
from ingot.metal3.pod.preparing import MissingFileError, furnish

FILES = {places.IRONIC_CONF: "[DEFAULT]\n", places.HTPASSWD: "a:b\n", places.INSPECTOR: "#!ipxe\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for rom in ROMS.values():
        (tmp_path / rom.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / rom.relative_to("/")).write_text(rom.name)
    images = tmp_path / "shared/html/images"
    images.mkdir(parents=True)
    for name in ("kernel", "initrd", "disk.img"):
        (images / name).write_text(name)
    return tmp_path


def test_what_is_secret_is_read_by_nobody_else(root: Path) -> None:
    furnish(FILES, root=root)
    modes = {
        place: (root / place.relative_to("/")).stat().st_mode & 0o777
        for place in (places.HTPASSWD, places.IRONIC_CONF, places.INSPECTOR)
    }
    assert modes == {places.HTPASSWD: 0o600, places.IRONIC_CONF: 0o600, places.INSPECTOR: 0o644}


def test_boot_files_are_where_they_are_looked_for(root: Path) -> None:
    furnish(FILES, root=root)
    assert (root / "shared/tftp/undionly.kpxe").read_text() == "undionly.kpxe"
    assert (root / "shared/tftp/snponly-x86_64.efi").read_text() == "snponly.efi"
    assert (root / "shared/ramdisk/kernel").read_text() == "kernel"


def test_the_disk_image_is_not_copied(root: Path) -> None:
    furnish(FILES, root=root)
    assert [path.parent.name for path in root.rglob("disk.img")] == ["images"]


def test_nothing_is_left_of_an_ironic_before(root: Path) -> None:
    furnish(FILES, root=root)
    old = [
        root / "shared/html/pxelinux.cfg/52-54-00-00-00-01",
        root / "shared/html/redfish/boot.iso",
        root / "shared/db/ironic.sqlite",
        root / "shared/db/ironic.sqlite-wal",
        root / "shared/cache/isos/one",
        root / "shared/cache/tmp/two",
    ]
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old")
    furnish(FILES, root=root)
    assert [path for path in old if path.exists()] == []
    assert (root / "shared/html/images/disk.img").exists()
    assert (root / "shared/cache/tmp").is_dir()


def test_a_host_that_fetches_the_old_ramdisk_goes_on(root: Path) -> None:
    furnish(FILES, root=root)
    with (root / "shared/ramdisk/kernel").open() as fetched:
        (root / "shared/html/images/kernel").write_text("another")
        furnish(FILES, root=root)
        assert fetched.read() == "kernel"
    assert (root / "shared/ramdisk/kernel").read_text() == "another"


def test_missing_media_are_named(root: Path) -> None:
    (root / "shared/html/images/kernel").unlink()
    with pytest.raises(MissingFileError, match="images/kernel"):
        furnish(FILES, root=root)
