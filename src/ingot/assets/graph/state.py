"""What is remembered between two runs: assets as they were made, and files as they were left.

A file of the install directory that is not as it was left has been changed by a person. So that a
run that is killed while it writes is not taken for a person, all that may be found is written down
before the first file is touched: what was there, what will be, or that nothing was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ingot.assets.graph.files import Digest, Files

__all__ = ["ABSENT", "Record", "State"]

ABSENT: Final = Digest("")
"""Stands for a file that is not there."""


@dataclass(frozen=True, slots=True)
class Record:
    """An asset as it was made."""

    inputs: Digest
    """Of everything that it was made from."""
    files: Files = field(repr=False)


@dataclass(frozen=True, slots=True)
class State:
    """What one run leaves to the next.

    Attributes:
        records: assets by name, without what the user changed.
        left: files that we have written to the install directory; each with what may be found
            there without anybody having touched it.
        used: what each asset's files were in the end, with what the user changed.
        config: the install-config.yaml that they were made from.
        fields: its fields.
    """

    records: Mapping[str, Record] = field(default_factory=dict)
    left: Mapping[str, frozenset[Digest]] = field(default_factory=dict)
    used: Mapping[str, Mapping[str, Digest]] = field(default_factory=dict)
    config: bytes = field(default=b"", repr=False)
    fields: Mapping[str, Digest] = field(default_factory=dict)
