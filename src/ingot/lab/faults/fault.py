"""One fault on one host, and what may be asked of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256

from ingot.errors import ExitCode, IngotError
from ingot.lab.faults.kind import KINDS, FaultKind
from ingot.lab.plan import FaultPlan

__all__ = ["BadFault", "Fault", "UnknownFault", "kind_named", "planned_fault"]


class UnknownFault(IngotError):  # noqa: N818 - it says what was asked for
    """There is no fault of that name."""

    exit_code = ExitCode.USAGE

    def __init__(self, name: str) -> None:
        near = get_close_matches(name, [str(kind) for kind in FaultKind], n=1)
        known = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(FaultKind)}"
        super().__init__(f"there is no fault {name!r}", remedy=known)
        self.name = name


class BadFault(IngotError):  # noqa: N818 - it says what was asked for
    """A fault is asked for in a way that it cannot be."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault that is set on a host.

    Attributes:
        rate: how likely each occasion is to be struck, from 0 to 1.
        times: how many occasions are struck at most; None has no limit.
        after: how many occasions are spared first.
        seed: decides which ones the rate picks.
        amount: how much, in the unit of the kind; None where the kind has none.
        seen: occasions so far.
        struck: how many of them were struck.
        striking: whether the latest one was. What lasts from one power on to the next is read from
            here, so that it is still known after the lab's daemon was started over.
    """

    host: str
    kind: FaultKind
    rate: float = 1.0
    times: int | None = None
    after: int = 0
    seed: int = 0
    amount: float | None = None
    seen: int = 0
    struck: int = 0
    striking: bool = False

    @property
    def is_spent(self) -> bool:
        """Whether it can never strike again."""
        return self.times is not None and self.struck >= self.times

    def checked(self) -> Fault:
        """Return it fresh, with what was left open filled in.

        Raises:
            BadFault: it cannot be set like this.
        """
        info = KINDS[self.kind]
        self._check_occasions()
        self._check_amount()
        return replace(
            self,
            amount=info.default if self.amount is None else self.amount,
            times=info.times if self.times is None else self.times,
            seen=0,
            struck=0,
            striking=False,
        )

    def next_occasion(self) -> Fault:
        """Return it with one more occasion counted, `striking` if that one is struck.

        The seed and the number of the occasion alone decide, so whatever else happens in between,
        the same seed strikes the same occasions.
        """
        hit = not self.is_spent and self.seen >= self.after and self._is_picked()
        return replace(self, seen=self.seen + 1, struck=self.struck + hit, striking=hit)

    def _is_picked(self) -> bool:
        if self.rate >= 1:
            return True
        word = f"{self.seed}/{self.host}/{self.kind}/{self.seen}".encode()
        return int.from_bytes(sha256(word).digest()[:8]) / (1 << 64) < self.rate

    def _check_occasions(self) -> None:
        info = KINDS[self.kind]
        asked = {
            "rate": self.rate != 1,
            "times": self.times is not None,
            "after": self.after != 0,
            "seed": self.seed != 0,
        }
        meaningless = [
            name
            for name, given in asked.items()
            if given and not (info.takes_seed if name == "seed" else info.counts)
        ]
        if meaningless:
            raise BadFault(
                f"{self.kind} takes no {' or '.join(meaningless)}: it is there until it is cleared",
                remedy=f"leave out {' and '.join(meaningless)}",
            )
        if not 0 <= self.rate <= 1:
            raise BadFault(
                f"rate {self.rate:g} of {self.kind} is not from 0 to 1",
                remedy="give the share of occasions that are struck, such as 0.2",
            )
        if self.times is not None and self.times < 1:
            raise BadFault(
                f"times {self.times} of {self.kind} is less than 1",
                remedy="leave it out for no limit, or clear the fault",
            )
        if self.after < 0:
            raise BadFault(
                f"after {self.after} of {self.kind} is less than 0",
                remedy="give the number of occasions that are spared first",
            )

    def _check_amount(self) -> None:
        info = KINDS[self.kind]
        if self.amount is None:
            return
        if info.amount is None:
            raise BadFault(f"{self.kind} takes no amount", remedy="leave out amount")
        if not math.isfinite(self.amount) or not info.least <= self.amount <= info.most:
            raise BadFault(
                f"amount {self.amount:g} of {self.kind} is not from {info.least:g} "
                f"to {info.most:g}",
                remedy=f"it means {info.amount}; the default is {info.default:g}",
            )


def kind_named(name: str) -> FaultKind:
    """Return a kind by its name.

    Raises:
        UnknownFault: with the nearest one that there is.
    """
    try:
        return FaultKind(name)
    except ValueError as error:
        raise UnknownFault(name) from error


def planned_fault(host: str, plan: FaultPlan) -> Fault:
    """Return a fault as a lab's description has it, checked.

    Raises:
        BadFault, UnknownFault: there can be no such fault.
    """
    return Fault(
        host=host,
        kind=kind_named(plan.kind),
        rate=plan.rate,
        times=plan.times,
        after=plan.after,
        seed=plan.seed,
        amount=plan.amount,
    ).checked()
