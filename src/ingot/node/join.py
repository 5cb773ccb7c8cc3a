"""Joining as a process: one that ends when this machine is a node."""

from __future__ import annotations

import sys
from functools import partial

from ingot.errors import ExitCode
from ingot.node.joining.clearing import Clearing
from ingot.node.joining.places import Places
from ingot.node.joining.program import Joining
from ingot.process import CommandFailed, run

__all__ = ["join"]


def join() -> int:
    """Join the cluster that this machine was told of, however long it takes."""
    places = Places()
    Joining(
        places=places,
        say=_say,
        clearing=lambda role: Clearing(places=places, role=role),
        is_uml=partial(_detected, "uml"),
    ).run()
    return ExitCode.OK


def _say(text: str) -> None:
    """Tell whoever watches the console: the unit's output goes there."""
    sys.stdout.write(f"join: {text}\n")
    sys.stdout.flush()


def _detected(kind: str) -> bool:
    try:
        return run(["systemd-detect-virt"]).strip() == kind
    except CommandFailed:
        return False  # a machine of iron
