"""What the operator is told by its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.metal3.operator.options import OptionsError, read

LEAST = {"IRONIC_ENDPOINT": "http://172.22.0.2:6385", "METAL3_AUTH_ROOT_DIR": "/nonexistent"}


def test_ironics_address_is_all_that_has_to_be_given() -> None:
    options = read(LEAST)
    assert options.ironic.root == "http://172.22.0.2:6385"
    assert options.ironic.credentials is None
    assert options.settings.capacity == 20
    assert options.settings.boots == 8
    assert options.terms is not None
    assert options.terms.duration == 137
    assert options.webhook is None


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(OptionsError) as caught:
        read(
            {
                "PROVISIONING_LIMIT": "many",
                "IRONIC_INSECURE": "maybe",
                "DEPLOY_RAMDISK_URL": "http://images/initrd",
                "INGOT_BOOT_LIMITS": "dhcp=60,coffee=5",
                "LEASE_DURATION_SECONDS": "1",
                "LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE": "Sometimes",
            }
        )
    told = "\n".join(caught.value.mistakes)
    for name in (
        "IRONIC_ENDPOINT",
        "PROVISIONING_LIMIT",
        "IRONIC_INSECURE",
        "DEPLOY_RAMDISK_URL",
        "INGOT_BOOT_LIMITS",
        "LEASE_DURATION_SECONDS",
        "LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE",
    ):
        assert name in told


def test_credentials_are_read_as_a_secret_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "ironic").mkdir()
    (tmp_path / "ironic/username").write_text("operator\n")
    (tmp_path / "ironic/password").write_text("hidden\n")
    options = read({**LEAST, "METAL3_AUTH_ROOT_DIR": str(tmp_path)})
    assert options.ironic.credentials is not None
    assert options.ironic.credentials.password == "hidden"
    assert "hidden" not in repr(options)


def test_half_of_the_credentials_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "ironic").mkdir()
    (tmp_path / "ironic/username").write_text("operator\n")
    with pytest.raises(OptionsError, match="password"):
        read({**LEAST, "METAL3_AUTH_ROOT_DIR": str(tmp_path)})


def test_limits_of_a_boot_are_set_one_by_one() -> None:
    boot = read({**LEAST, "INGOT_BOOT_LIMITS": "dhcp=60,cycles=1"}).settings.boot
    assert (boot.dhcp, boot.cycles, boot.kernel) == (60, 1, 180)


def test_leading_can_be_left_out() -> None:
    assert read({**LEAST, "LEADER_ELECTION": "false"}).terms is None
