"""Doing things in a network namespace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ingot.machine import namespaces

T = TypeVar("T")


def inside(space: str, work: Callable[[], T]) -> T:
    return namespaces.inside(space, work)


def set_sysctl(space: str, name: str, value: str) -> None:
    inside(space, lambda: Path("/proc/sys/net", name).write_text(value))


def sysctl(space: str, name: str) -> str:
    return inside(space, Path("/proc/sys/net", name).read_text).strip()
