"""Making a target in an install directory: from what is there to what should be there."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from ingot import __version__
from ingot.assets import catalogue, userfiles
from ingot.assets.graph.asset import Asset, Sources
from ingot.assets.graph.freezing import Differences, differences
from ingot.assets.graph.making import Outcome, Present, make
from ingot.assets.payload import Payload
from ingot.config.file import load_file, read_file
from ingot.config.loading import Loaded, load
from ingot.config.model import InstallConfig
from ingot.config.problem import Report
from ingot.errors import IngotError, InstallConfigError
from ingot.installer.directory import InstallDirectory

__all__ = ["AlreadyBegun", "ConfigInvalid", "Made", "Request", "make_target", "requested"]

SHOWN_DIFFERENCES = 5


class ConfigInvalid(InstallConfigError):  # noqa: N818 - it says what was seen
    """The install-config has errors.

    Attributes:
        report: each of them.
    """

    def __init__(self, report: Report, directory: InstallDirectory) -> None:
        super().__init__(
            f"{directory.config_file} is not valid",
            remedy="correct it; `ingot validate` checks it",
        )
        self.report = report


class AlreadyBegun(IngotError):  # noqa: N818 - it says what was seen
    """A cluster is being made from what was changed."""

    def __init__(self, found: Differences, directory: InstallDirectory) -> None:
        named = found.fields or found.files
        kind = f"{directory.config_file}: " if found.fields else ""
        more = f" and {len(named) - SHOWN_DIFFERENCES} more" * (len(named) > SHOWN_DIFFERENCES)
        super().__init__(
            "the cluster is being made already, and would be another one now: "
            f"{kind}{', '.join(named[:SHOWN_DIFFERENCES])}{more} changed since",
            remedy="take the change back and run it again; or `ingot destroy cluster` first",
        )
        self.differences = found


@dataclass(frozen=True, slots=True)
class Request:
    """The install-config of a directory, valid."""

    document: bytes
    config: InstallConfig
    report: Report
    """Its warnings."""


@dataclass(frozen=True, slots=True)
class Made:
    """A target that is in the directory.

    Attributes:
        outcome: what was made, kept, written and removed.
        unused: files beside the manifests that are none.
    """

    outcome: Outcome
    unused: tuple[str, ...]


def requested(directory: InstallDirectory) -> Request:
    """Return what the user asks for.

    Raises:
        ConfigInvalid: the install-config has errors, or is not there.
    """
    document, loaded = _loaded(directory)
    if loaded.config is None or not loaded.report.valid:
        raise ConfigInvalid(loaded.report, directory)
    return Request(document, loaded.config, loaded.report)


def make_target(
    directory: InstallDirectory,
    target: str,
    request: Request,
    payload: Payload,
    *,
    on_make: Callable[[Asset], None] = lambda _: None,
) -> Made:
    """Make a target and write its files; whoever asks holds the directory.

    Args:
        directory: where.
        target: one of the catalogue's.
        request: what the user asks for.
        payload: what the cluster runs.
        on_make: told each asset before it is made.

    Raises:
        AlreadyBegun: the cluster is being made, and something was changed since.
        DirectoryUnusable: it cannot be read or written.
        StateUnusable: what an earlier run remembered cannot be read.
        UserFileError: a file that the user changed or added cannot be used.
    """
    graph = catalogue.graph()
    places = [place for asset in graph if asset.shown for place in asset.places]
    state = directory.state()
    outcome = make(
        graph,
        target,
        sources=Sources(
            document=request.document,
            config=request.config,
            payload=payload,
            random=secrets.token_bytes,
            now=datetime.now(UTC),
            maker=__version__,
        ),
        present=Present(state, directory.found(places)),
        on_make=on_make,
        on_own=userfiles.check,
    )
    if directory.has_begun and (found := differences(state, outcome)):
        raise AlreadyBegun(found, directory)
    directory.settle(outcome)
    gathering = [place for asset in graph if asset.gathers for place in asset.places]
    return Made(outcome, tuple(directory.unused(gathering)))


def _loaded(directory: InstallDirectory) -> tuple[bytes, Loaded]:
    try:
        document = read_file(directory.config_file)
    except OSError:
        return b"", load_file(directory.config_file)  # It says why.
    return document, load(document)
