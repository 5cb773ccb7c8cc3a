"""Why a BMC address is refused, told to the person who wrote it and never telling their password.

A password may hold any character, also ``/`` and ``@``, so one cannot say where in an address it
ends. Therefore an ``@`` is refused wherever it stands, and all that precedes the last one is left
out of what is shown.
"""

from __future__ import annotations

from typing import Final

from ingot.bmc.scheme import REMOVED, SCHEMES, SPELLINGS

__all__ = ["BmcAddressError", "FaultError", "quoted", "unknown_scheme"]

_SHOWN: Final = 120
_FOREIGN: Final = {"http": "redfish+http", "https": "redfish"}


class FaultError(Exception):
    """One part of an address is wrong; `parse` adds the address and raises `BmcAddressError`."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)
        self.reason = reason
        self.remedy = remedy


class BmcAddressError(ValueError):
    """A BMC address cannot be used.

    Attributes:
        text: The address as written, without credentials.
        reason: What is wrong with it, as a verb phrase.
        remedy: What to do about it.
    """

    def __init__(self, text: str, reason: str, remedy: str) -> None:
        self.text = _without_credentials(text)
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"BMC address {quoted(self.text)} {reason}; {remedy}")


def quoted(text: str) -> str:
    """Return text as it can be printed on any terminal: short, control characters escaped."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def unknown_scheme(spelling: str) -> FaultError:
    """Say what is wrong with a spelling that is not in the table, and what was likely meant."""
    name, plus, suffix = spelling.partition("+")
    if instead := REMOVED.get(name):
        return FaultError(
            f"has the scheme {name}, which metal3 has removed", f"use {' or '.join(instead)}"
        )
    if name in _FOREIGN:
        return FaultError(
            f"is a plain {name} URL",
            f"begin it with {_FOREIGN[name]}:// or another scheme that says how the host boots",
        )
    if scheme := SCHEMES.get(name):
        ending = " with +http, with +https or without either" if scheme.is_redfish else " alone"
        return FaultError(f"has the unknown scheme {quoted(spelling)}", f"use {name}{ending}")
    likely = _nearest(name)
    if f"{likely}{plus}{suffix}" in SPELLINGS:
        likely = f"{likely}{plus}{suffix}"
    known = f"use one of {', '.join(SCHEMES)}"
    return FaultError(
        f"has the unknown scheme {quoted(spelling)}", f"did you mean {likely}?" if likely else known
    )


def _nearest(name: str) -> str | None:
    import difflib  # noqa: PLC0415  only a typo pays for it

    return next(iter(difflib.get_close_matches(name[:_SHOWN], SCHEMES, n=1)), None)


def _without_credentials(text: str) -> str:
    before, at, after = text.rpartition("@")
    if not at:
        return text
    spelling, separator, _ = before.partition("://")
    return f"{spelling}://{after}" if separator and spelling.lower() in SPELLINGS else after
