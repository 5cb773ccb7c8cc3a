"""Copies of modules without the parts that nothing uses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingot.payload.thinning import NothingToThin, Thinned, required_version, thin

BIG = Thinned("example.org/big", left_out=("all",), instead={"all/none.go": "package all\n"})


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A module as Go keeps it: nothing in it may be written."""
    folder = tmp_path / "big@v1.0.0"
    files = {"go.mod": "module example.org/big\n", "all/one.go": "one", "small/two.go": "two"}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


def contents(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


def test_what_is_left_out_is_replaced_and_the_rest_is_as_it_was(
    released: Path, tmp_path: Path
) -> None:
    thin(BIG, released, tmp_path / "thinned/big")
    assert contents(tmp_path / "thinned/big") == {
        "go.mod": "module example.org/big\n",
        "all/none.go": "package all\n",
        "small/two.go": "two",
    }


def test_a_copy_can_be_removed_by_who_made_it(released: Path, tmp_path: Path) -> None:
    thin(BIG, released, tmp_path / "big")
    folders = [tmp_path / "big", tmp_path / "big/small"]
    assert [path.stat().st_mode & 0o777 for path in folders] == [0o755, 0o755]


def test_a_part_that_is_not_there_is_named(released: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingToThin, match=r"example\.org/big has no gone"):
        thin(replace(BIG, left_out=("gone",)), released, tmp_path / "big")


@pytest.mark.parametrize(
    "line", ["require example.org/big v1.2.3", "\texample.org/big v1.2.3 // indirect"]
)
def test_the_version_is_the_one_that_the_project_asks_for(line: str) -> None:
    go_mod = f"module example.org/x\nrequire example.org/bigger v9.0.0\n{line}\n"
    assert required_version("example.org/big", go_mod) == "v1.2.3"


def test_a_module_that_the_project_does_not_ask_for_is_named() -> None:
    with pytest.raises(NothingToThin, match=r"example\.org/big"):
        required_version("example.org/big", "module example.org/x\n")


@pytest.mark.parametrize(
    "other", [replace(BIG, left_out=("all", "small")), replace(BIG, instead={})]
)
def test_another_way_to_thin_is_another_result(other: Thinned) -> None:
    assert other.digest != BIG.digest
