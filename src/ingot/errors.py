"""The one hierarchy of errors that reach a person.

An error says what is wrong, where, and what to do. Its exit code is part of the command line's
contract, so that scripts can tell a bad file from a dead BMC.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitCode", "IngotError", "InstallConfigError", "Interrupted"]


class ExitCode(IntEnum):
    """What the process returns; the numbers from 3 on are those of the field's own installer."""

    OK = 0
    OTHER = 1
    USAGE = 2
    INSTALL_CONFIG = 3
    INFRASTRUCTURE = 4
    BOOTSTRAP = 5
    INSTALL = 6
    NOT_STABLE = 7
    INTERRUPTED = 8


class IngotError(Exception):
    """Something a person can act on.

    Attributes:
        what: one sentence, without a full stop, naming the object and what was seen.
        remedy: what to do about it, as an imperative.
    """

    exit_code = ExitCode.OTHER

    def __init__(self, what: str, *, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


class InstallConfigError(IngotError):
    """The install-config cannot be used as it is."""

    exit_code = ExitCode.INSTALL_CONFIG


class Interrupted(IngotError):  # noqa: N818 - it is an outcome, not a mistake
    """The user stopped the command."""

    exit_code = ExitCode.INTERRUPTED
