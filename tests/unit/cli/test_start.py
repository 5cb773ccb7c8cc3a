"""The start of the command line, before anything slow is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SLOW = ("typer", "rich", "pydantic", "yaml", "cryptography", "questionary", "re", "pathlib")


def imported_by(*words: str) -> set[str]:
    ingot = Path(sys.executable).parent / "ingot"
    trace = subprocess.run(
        [sys.executable, "-X", "importtime", ingot, *words],
        capture_output=True,
        check=True,
        text=True,
    ).stderr
    return {line.rpartition("|")[2].strip() for line in trace.splitlines()}


@pytest.mark.parametrize("words", [["version"], ["--help"], ["-h"]], ids=" ".join)
def test_version_and_help_import_nothing_slow(words: list[str]) -> None:
    assert imported_by(*words).isdisjoint(SLOW)


@pytest.mark.parametrize("words", [["validate", "--help"], ["version", "-o", "json"]], ids=" ".join)
def test_commands_do_not_import_what_they_do_not_use(words: list[str]) -> None:
    assert imported_by(*words).isdisjoint({"yaml", "cryptography", "questionary"})
