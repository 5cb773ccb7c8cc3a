"""`pause`, the process that holds a pod's namespaces: Kubernetes' own C program, compiled here.

Kubernetes releases it only as a container image, so it is compiled from the release's source.
"""

from __future__ import annotations

from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.errors import ExitCode, IngotError
from ingot.payload.versions import versions

__all__ = ["SOURCE_PATH", "compile_pause"]

SOURCE_PATH = "build/pause/linux/pause.c"
"""Where it lies in the source of Kubernetes."""


class NoPauseSource(IngotError):  # noqa: N818 - it says what was seen
    """The source of Kubernetes has no pause program where it always had one."""

    exit_code = ExitCode.INFRASTRUCTURE


def compile_pause(workshop: Workshop, source: Path) -> None:
    """Compile pause into the workshop's `out`, with the flags that Kubernetes compiles it with."""
    if not source.is_file():
        raise NoPauseSource(
            f"Kubernetes {versions().kubernetes} has no {SOURCE_PATH}",
            remedy="check the version of Kubernetes in versions.toml",
        )
    workshop.say("compiling pause")
    workshop.run(
        "gcc",
        "-Os",
        "-Wall",
        "-Werror",
        "-static",
        "-s",
        "-Wl,--build-id=none",
        f"-DVERSION=v{versions().pause_tag}",
        "-o",
        workshop.out / "pause",
        source,
    )
