"""Has a copy of the images on this node, and then serves it.

A copy is made in a folder with a dot, and renamed when all of it is there and right: whoever finds
the folder without one may use it. Copies of other images are removed then.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingot.errors import IngotError
from ingot.kube.access import from_environment
from ingot.kube.client import KubeClient
from ingot.metal3.cluster.images import places
from ingot.metal3.cluster.images.fetching import FetchError, fetched
from ingot.metal3.cluster.images.sources import ask
from ingot.metal3.cluster.options import ImageFile, Images

__all__ = ["NoSourceError", "Wish", "found_sources", "kept", "read"]

log = logging.getLogger(__name__)

WITHIN: Final = 900.0
"""Seconds until the container is begun anew; what has come by then stays."""
FIRST_DELAY, LONGEST_DELAY = 2.0, 30.0
API_SECONDS: Final = 10.0

Sources = Callable[[], Sequence[str]]


class NoSourceError(IngotError):
    """Nobody has the images, or gives them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the environment says.

    Attributes:
        images: what to have.
        pod: our own name.
    """

    images: Images
    pod: str


def read(environment: Mapping[str, str]) -> Wish:
    """Return what the environment says.

    Raises:
        ValueError: it names no files.
    """
    said = [one.partition("=") for one in environment.get(places.FILES, "").split(",") if one]
    files = tuple(ImageFile(name=name, sha256=sha256) for name, _, sha256 in said)
    images = Images(files=files, source=environment.get(places.SOURCE, ""))
    return Wish(images, environment.get(places.POD, ""))


def kept(
    images: Images,
    sources: Sources,
    *,
    folder: Path = Path(places.FOLDER),
    within: float = WITHIN,
    wait: Callable[[float], None] = time.sleep,
) -> Path:
    """Return the folder of a whole copy, which is fetched first where it is not there.

    Args:
        images: what to have.
        sources: asked before each try where copies are.
        folder: where copies are kept.
        within: seconds that all tries may take.
        wait: waits for some seconds.

    Raises:
        NoSourceError: no source had it in time.
        NoRoomError: this node cannot keep it.
    """
    whole, part = folder / images.digest, folder / f".{images.digest}"
    if not whole.is_dir():
        part.mkdir(parents=True, exist_ok=True)
        _fill(part, images, sources, deadline=time.monotonic() + within, wait=wait)
        part.chmod(0o755)
        part.rename(whole)
        _synced(folder)
    for other in folder.iterdir():
        if other != whole and other.is_dir():
            log.info("%s is no longer needed", other.name)
            shutil.rmtree(other, ignore_errors=True)
    return whole


def found_sources(wish: Wish) -> Sequence[str]:
    """Return where copies are: what the API says, and the first copy."""

    async def asked() -> tuple[str, ...]:
        access = from_environment()
        async with KubeClient(access, deadline=API_SECONDS, field_manager="metal3-images") as api:
            return await ask(api, wish.pod)

    first = (wish.images.source,) if wish.images.source else ()
    try:
        return (*asyncio.run(asked()), *first)
    except IngotError as error:
        log.warning("nobody tells where other copies are: %s", error)
        return first


def _fill(
    part: Path,
    images: Images,
    sources: Sources,
    *,
    deadline: float,
    wait: Callable[[float], None],
) -> None:
    delay, last = FIRST_DELAY, "nobody has them"
    while True:
        for source in sources():
            try:
                for one in images.files:
                    fetched(
                        f"{source}/{one.name}", part / one.name, sha256=one.sha256, say=log.info
                    )
            except FetchError as error:
                last = error.what
                log.warning("%s; %s", error.what, error.remedy)
            else:
                return
        if time.monotonic() > deadline:
            raise NoSourceError(
                f"the images did not come: {last}",
                remedy="see that another copy is there, or the bootstrap VM; it is tried again",
            )
        wait(delay)
        delay = min(LONGEST_DELAY, delay * 2)


def _synced(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
