"""The kernel's configuration is what the fragment asks for, or the build stops."""

from __future__ import annotations

from importlib.resources import files

import pytest

from ingot.osimage.kernel import refused_options

CONFIG = """\
CONFIG_EXT4_FS=y
CONFIG_LOCALVERSION="-ingot"
# CONFIG_SOUND is not set
CONFIG_PPP=m
"""


@pytest.mark.parametrize(
    ("fragment", "refused"),
    [
        ("CONFIG_EXT4_FS=y", []),
        ('CONFIG_LOCALVERSION="-ingot"', []),
        ("# CONFIG_SOUND is not set", []),
        ("# CONFIG_NEVER_HEARD_OF is not set", []),
        ("# a remark\n\nCONFIG_EXT4_FS=y", []),
        ("CONFIG_OVERLAY_FS=y", ["CONFIG_OVERLAY_FS=y"]),
        ("CONFIG_PPP=y", ["CONFIG_PPP=y"]),
        ("CONFIG_EXT4=y", ["CONFIG_EXT4=y"]),
        ("# CONFIG_PPP is not set", ["# CONFIG_PPP is not set"]),
    ],
)
def test_refused_options_are_named(fragment: str, refused: list[str]) -> None:
    assert list(refused_options(fragment, CONFIG)) == refused


def test_lab_kernel_has_one_processor_and_no_modules() -> None:
    fragment = files("ingot.osimage").joinpath("uml.config").read_text("utf-8")
    options = [line for line in fragment.splitlines() if line.startswith("CONFIG_")]
    assert "CONFIG_SMP=y" not in options
    assert "# CONFIG_MODULES is not set" in fragment
    assert not [option for option in options if option.endswith("=m")]
