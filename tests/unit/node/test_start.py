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
    assert shown.stderr.startswith("usage: ingot-node WORD\n")
    assert "operator" in shown.stderr


def test_operator_says_what_its_environment_lacks() -> None:
    shown = subprocess.run(
        [INGOT_NODE, "operator"], capture_output=True, check=False, text=True, env={}
    )
    assert shown.returncode == 2
    assert "error: the environment cannot be used: IRONIC_ENDPOINT is missing" in shown.stderr
    assert "remedy: " in shown.stderr
