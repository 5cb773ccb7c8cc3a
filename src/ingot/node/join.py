"""Joining as a process: one that ends when this machine is a node."""

from __future__ import annotations

import sys

from ingot.errors import ExitCode
from ingot.node.joining.clearing import Clearing
from ingot.node.joining.places import Places
from ingot.node.joining.program import Joining
from ingot.node.tolerating import is_uml

__all__ = ["join"]


def join() -> int:
    """Join the cluster that this machine was told of, however long it takes."""
    places = Places()
    Joining(
        places=places,
        say=_say,
        clearing=lambda role: Clearing(places=places, role=role),
        is_uml=is_uml,
    ).run()
    return ExitCode.OK


def _say(text: str) -> None:
    """Tell whoever watches the console: the unit's output goes there."""
    sys.stdout.write(f"join: {text}\n")
    sys.stdout.flush()
