"""What a rule has to say about one field, and what follows for the whole object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["Finding", "Verdict", "shown", "warning"]

SHOWN: Final = 80
"""Characters of somebody else's text that a message repeats."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        field: where, such as ``spec.bmc.address``.
        what: what was seen there, as a clause that goes on from the field's name.
        remedy: what to do about it, as an imperative.
        refuses: whether the object is not stored; otherwise its writer is only told.
    """

    field: str
    what: str
    remedy: str
    refuses: bool = True

    @property
    def sentence(self) -> str:
        """The whole of it, for people."""
        return f"{self.field} {self.what}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of an object.

    Attributes:
        refusals: why it is not stored. None means that it is.
        warnings: what its writer should know in any case.
    """

    refusals: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Verdict:
        """Return what follows from all that was found."""
        found = tuple(findings)
        return cls(
            refusals=tuple(one for one in found if one.refuses),
            warnings=tuple(one for one in found if not one.refuses),
        )

    @property
    def accepts(self) -> bool:
        """Whether the object is stored."""
        return not self.refusals


def warning(field: str, what: str, remedy: str) -> Finding:
    """Return a finding that refuses nothing."""
    return Finding(field, what, remedy, refuses=False)


def shown(text: str) -> str:
    """Return text as a message can repeat it: short, and nothing in it that moves a cursor."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
