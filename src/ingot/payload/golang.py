"""Go itself: found on the machine, and made to be the pinned version.

A different compiler makes different files, so one version is pinned. Any Go from 1.21 on can start
it: Go fetches the toolchain that GOTOOLCHAIN names through its module proxy, checks it against the
checksum database and runs it. Where the Go that is found is the pinned one, nothing is fetched.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import ingot
from ingot import process
from ingot.errors import ExitCode, IngotError
from ingot.payload.versions import versions

__all__ = ["Go", "NoGo", "architecture", "find_go"]

OLDEST = (1, 21)
"""The first Go that can fetch another."""

PLACES = (
    Path(ingot.__file__).resolve().parents[2] / ".tools/go/bin/go",
    Path("/usr/local/go/bin/go"),
)
"""Where else to look: where `make setup` puts it, and where Go's own guide does."""

VERSION = re.compile(r"go version go(\d+)\.(\d+)(?:\.(\d+))?")

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class NoGo(IngotError):  # noqa: N818 - it says what was seen
    """There is no Go on this machine that could build anything."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class Go:
    """A Go command, and how it is told to be the pinned version."""

    path: Path
    version: tuple[int, ...]

    @property
    def environment(self) -> dict[str, str]:
        """What every call gets, so that a user's own settings do not change a result.

        Settings of proxies and caches are left alone: they say how to get modules here.
        """
        pinned = versions().go
        same = ".".join(map(str, self.version)) == pinned
        return {
            "CGO_ENABLED": "0",
            "GO111MODULE": "on",
            "GOAMD64": "v1",
            "GOARCH": architecture(),
            # An empty value would let the user's own file of settings speak.
            "GOFLAGS": "-buildvcs=false",
            "GOOS": "linux",
            "GOTOOLCHAIN": "local" if same else f"go{pinned}",
            "GOWORK": "off",
        }


def architecture() -> str:
    """Return this machine's architecture as Go and Kubernetes name it.

    Raises:
        IngotError: nothing is released for it.
    """
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        raise IngotError(
            f"there is no payload for {machine} machines",
            remedy=f"build on one of {', '.join(ARCHITECTURES)}",
        )
    return ARCHITECTURES[machine]


def find_go() -> Go:
    """Return the Go to build with: the one on PATH, or one that was installed without it.

    Raises:
        NoGo: there is none, or only such as are too old to fetch the pinned one.
    """
    found = []
    on_path = shutil.which("go")
    for place in (*([Path(on_path)] if on_path else []), *PLACES):
        if not os.access(place, os.X_OK):
            continue
        go = Go(place, _version_of(place))
        if go.version >= OLDEST:
            return go
        found.append(f"{go.path} is {'.'.join(map(str, go.version)) or 'of no known version'}")
    seen = f": {', '.join(found)}" if found else ""
    oldest = ".".join(map(str, OLDEST))
    raise NoGo(
        f"building from Go modules needs Go {oldest} or newer{seen}",
        remedy=f"run `make setup`, or install Go {versions().go} and put it on PATH",
    )


def _version_of(path: Path) -> tuple[int, ...]:
    said = process.run([path, "version"], env={"GOTOOLCHAIN": "local"})
    match = VERSION.search(said)
    return tuple(int(part) for part in match.groups("0")) if match else ()
