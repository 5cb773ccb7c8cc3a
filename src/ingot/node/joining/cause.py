"""Why a join failed, in one line, out of the many that kubeadm writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Cause", "cause_of", "phase_of"]

_PHASE: Final = re.compile(r"\[([a-z][a-z-]*)\] ")
_CHECK: Final = re.compile(r"\s*\[ERROR ([\w-]+)\]: (.*)")
_FAILED: Final = re.compile(r"error execution phase ([\w/-]+): (.*)")
_ERROR: Final = re.compile(r"(?:error|Error): (.*)")
_SHOWN: Final = 400

_KNOWN: Final = (
    (
        re.compile(r"Unauthorized|token .*(?:expired|invalid)|invalid bearer token"),
        "the cluster does not take the bootstrap token any more",
        True,
    ),
    (
        re.compile(r"certificate has expired or is not yet valid"),
        "this machine's clock is off: by it, the API server's certificate does not hold",
        False,
    ),
    (
        re.compile(r"certificate signed by unknown authority|x509: "),
        "the API server's certificate is not of this cluster",
        False,
    ),
    (
        re.compile(r"a Node with name .* already exists"),
        "a Node of this name is Ready: another machine has it, or it is this one's earlier try",
        False,
    ),
    (
        re.compile(r"too many learner members"),
        "another node is joining etcd; it takes one at a time",
        False,
    ),
    (
        re.compile(r"connection refused|no route to host|i/o timeout|context deadline exceeded"),
        "the API server cannot be reached",
        False,
    ),
)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a join failed.

    Attributes:
        phase: what kubeadm did then; empty if it did not say.
        message: one line.
        token_refused: whether a fresh token may help.
    """

    phase: str
    message: str
    token_refused: bool = False


def phase_of(line: str) -> str:
    """Return what kubeadm is doing, by a line that it wrote; empty where it does not say."""
    found = _PHASE.match(line)
    return found[1] if found else ""


def cause_of(lines: Sequence[str]) -> Cause:
    """Return why kubeadm failed, by what it wrote."""
    phase, said = _said(lines)
    for pattern, means, token in _KNOWN:
        if pattern.search(said):
            return Cause(phase, f"{means} ({_short(said)})", token_refused=token)
    return Cause(phase, _short(said))


def _said(lines: Sequence[str]) -> tuple[str, str]:
    phase = next((found[1] for line in lines if (found := _FAILED.search(line))), "")
    checks = [f"{found[1]}: {found[2]}" for line in lines if (found := _CHECK.match(line))]
    if checks:
        return phase or "preflight", "; ".join(checks)
    for pattern, group in ((_FAILED, 2), (_ERROR, 1)):
        for line in lines:
            if found := pattern.search(line):
                return phase, found[group]
    spoken = [line.strip() for line in lines if line.strip()]
    return phase, spoken[-1] if spoken else "kubeadm ended without a word"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
