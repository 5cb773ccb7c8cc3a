"""What changes the machine: routes by `ip -batch`, and a file that is whole at every moment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ingot.hostgateway.problem import UnwritableError
from ingot.hostgateway.routing import RouteChanges
from ingot.hostgateway.surroundings import METRIC, PROTOCOL
from ingot.process import CommandFailed, run

__all__ = ["apply_routes", "batches", "write_if_changed"]


def batches(changes: RouteChanges) -> dict[int, str]:
    """Return what `ip -batch` is told, by family; none where nothing changes."""
    lines = list(_lines(changes))
    return {
        version: "".join(f"{line}\n" for one, line in lines if one == version)
        for version in sorted({version for version, _ in lines})
    }


def _lines(changes: RouteChanges) -> Iterator[tuple[int, str]]:
    for route in changes.put:
        way = f"{route.network} via {route.gateway} dev {route.link}"
        yield route.network.version, f"route replace {way} proto {PROTOCOL} metric {METRIC}"
    for gone in changes.remove:
        # By metric and protocol, which is all that tells it from another's to the same network.
        which = f"{gone.network} proto {PROTOCOL} metric {gone.metric}"
        yield gone.network.version, f"route delete {which}"


def apply_routes(changes: RouteChanges) -> None:
    """Change the kernel's routes; one that is refused does not keep the others from being made.

    Raises:
        CommandFailed: some were refused.
    """
    refused: CommandFailed | None = None
    for version, text in batches(changes).items():
        try:
            run(
                ["ip", f"-{version}", "-force", "-batch", "-"],
                stdin=text,
                remedy=f"see `ip -{version} route`, and whether the network card is up",
            )
        except CommandFailed as error:
            refused = error
    if refused is not None:
        raise refused


def write_if_changed(path: Path, text: str) -> bool:
    """Make a file say something, and return whether it did not before.

    Raises:
        UnwritableError: the folder is missing, full or not ours; the file is as it was.
    """
    # containerd reads whatever has one of three endings; this is none of them.
    fresh = path.with_name(f".{path.name}.new")
    try:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return False
        with fresh.open("w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise UnwritableError(path, error.strerror or str(error)) from error
    return True
