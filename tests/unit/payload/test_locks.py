"""What images have from PyPI is pinned: whole, with hashes, and as the rest of the tree says."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from ingot.payload.versions import versions

TOP = Path(__file__).parents[3]
PIN = re.compile(r"^([a-z0-9-]+)==([^ ;]+)", re.MULTILINE)


def lock(name: str) -> str:
    return files("ingot.payload").joinpath("locks", name).read_text("utf-8")


def pins(text: str) -> dict[str, str]:
    return dict(PIN.findall(text))


def left_out() -> set[str]:
    lines = lock("left-out.txt").splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


@pytest.mark.parametrize("name", ["ingot.txt", "ironic.txt"])
def test_every_package_is_pinned_with_hashes_and_without_an_address(name: str) -> None:
    text = lock(name)
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) == len(pins(text))
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text


def test_ironic_is_the_pinned_one() -> None:
    assert pins(lock("ironic.txt"))["ironic"] == versions().ironic
    assert f"ironic=={versions().ironic}" in lock("ironic.in").splitlines()


def test_ingot_has_in_images_what_it_depends_on() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {re.split(r"[^a-z0-9-]", line, maxsplit=1)[0] for line in project["dependencies"]}
    assert wanted - left_out() <= pins(lock("ingot.txt")).keys()


def test_ingot_has_in_images_the_versions_it_is_tested_with() -> None:
    tested = pins((TOP / "requirements.lock").read_text("utf-8"))
    carried = pins(lock("ingot.txt"))
    assert carried == {name: tested.get(name) for name in carried}


def test_what_is_left_out_is_in_no_lock() -> None:
    assert left_out()
    assert not left_out() & (pins(lock("ingot.txt")).keys() | pins(lock("ironic.txt")).keys())
