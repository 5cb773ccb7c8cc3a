"""One asset: what it needs, what it reads, and how its files are made of that.

`make` is a pure function but for two things that it is handed: randomness and the time. So what was
made once can be kept for as long as the rest of its inputs is the same, and its secrets with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from ingot.assets.graph.files import Files
from ingot.assets.payload import Payload
from ingot.config.model import InstallConfig

__all__ = ["Asset", "Inputs", "Random", "Sources"]

Random: TypeAlias = Callable[[int], bytes]
"""Returns so many bytes that nobody can guess."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What everything is made from."""

    document: bytes = field(repr=False)
    """The install-config.yaml as it was read."""
    config: InstallConfig
    payload: Payload
    random: Random = field(repr=False)
    now: datetime
    maker: str
    """The version of Ingot."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What one asset is made from, and no more than that.

    Attributes:
        config: with the parts that the asset reads; reading another is an AttributeError, since
            a change of it would go unnoticed.
        payload: what the cluster runs.
        files: of the assets that it needs, as changed by the user.
        random: for secrets.
        now: when certificates begin.
    """

    config: InstallConfig
    payload: Payload
    files: Files = field(repr=False)
    random: Random = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One asset.

    Attributes:
        name: lower case with hyphens.
        about: what it is, in a few words.
        make: makes its files. None for one that gathers: its files are those of the assets it
            needs which lie at its places, and whatever the user adds there.
        needs: the assets whose files it is made from.
        reads: the parts of the install-config it is made from, such as
            `platform.baremetal.hosts.name`.
        carries: whether it is made from the payload.
        places: where its files lie; a `*` stands for a part of one name.
        shown: whether its files are written to the install directory.
        lasting: whether it holds randomness, and so is kept when another version of Ingot goes
            on; the others are then made again.
        revision: raised when the way of making it changes, and what was kept must not be used.
    """

    name: str
    about: str
    make: Callable[[Inputs], Files] | None
    places: tuple[str, ...]
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    carries: bool = False
    shown: bool = True
    lasting: bool = False
    revision: int = 1

    @property
    def gathers(self) -> bool:
        """Whether its files are those of others, and of the user."""
        return self.make is None
