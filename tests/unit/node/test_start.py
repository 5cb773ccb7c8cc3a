"""`ingot-node`, as units and pods call it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ingot import __version__

INGOT_NODE = Path(sys.executable).parent / "ingot-node"


def test_version_is_that_of_the_package() -> None:
    shown = subprocess.run([INGOT_NODE, "version"], capture_output=True, check=True, text=True)
    assert shown.stdout == f"ingot-node {__version__}\n"


def test_unknown_word_is_a_usage_error() -> None:
    shown = subprocess.run([INGOT_NODE, "vershun"], capture_output=True, check=False, text=True)
    assert shown.returncode == 2
    assert shown.stderr == "usage: ingot-node version\n"
