"""What is left of a site is removed, whoever left it.

Each site has a process that does nothing but wait for its end: when the tests are killed, no other
part of them is there to clean up. So this is a program too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.site import call
from tests.onprem_site.groups import groups_of, remove_groups

PREFIX = "ingot-site-"
NAMESPACES = Path("/run/netns")
REPOSITORY = Path(__file__).parents[2]


def site_name(number: int) -> str:
    """Return the name of a site of this process."""
    return f"{PREFIX}{os.getpid()}-{number}"


def namespaces_of(site: str) -> tuple[str, ...]:
    """Return the names of all network namespaces of a site."""
    found = NAMESPACES.glob(f"{site}*") if NAMESPACES.exists() else ()
    return tuple(sorted(path.name for path in found if _belongs(path.name, site)))


def remains_of(site: str) -> tuple[str, ...]:
    """Return everything that is there of a site."""
    groups = (f"group {name}" for name in groups_of(PREFIX) if name == site)
    return (*namespaces_of(site), *groups)


def sweep(site: str) -> None:
    """Remove everything of a site: processes first, as the rest is theirs."""
    remove_groups(site)
    for name in namespaces_of(site):
        call("ip", "netns", "delete", name)


@contextmanager
def swept(site: str) -> Iterator[None]:
    """Have a site swept after the block, or after the death of this process."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.onprem_site.sweeping", site],
        stdin=subprocess.PIPE,
        cwd=REPOSITORY,
        start_new_session=True,
    ) as waiting:
        try:
            yield
        finally:
            try:
                sweep(site)
            finally:
                waiting.communicate()


def _belongs(name: str, site: str) -> bool:
    return name == site or name.startswith(f"{site}-")


if __name__ == "__main__":
    sys.stdin.read()  # Until the tests close it, alive or dead.
    sweep(sys.argv[1])
