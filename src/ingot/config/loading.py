"""From a file's bytes to a completed config and everything that is wrong with it, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingot.config import conversion, document, rules
from ingot.config.defaults import complete
from ingot.config.filling import Places, fill, follows_from, problem
from ingot.config.model import InstallConfig
from ingot.config.problem import Finding, Path, Report, spell
from ingot.config.registry import touches
from ingot.config.shape import fit

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Loaded", "load"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A config and its problems. `config` is None when nothing could be made of the file."""

    config: InstallConfig | None
    report: Report


def load(data: bytes) -> Loaded:
    """Load a config from a file's bytes."""
    read = document.read(data)
    report = Report(
        [
            problem(flaw.rule, flaw.finding, spell(flaw.finding.path), flaw.line)
            for flaw in read.flaws
        ]
    )
    if read.root is None:
        return Loaded(None, report)
    fitted = fit(read.root, InstallConfig)
    places = Places(read.root)
    places.moves = conversion.convert(fitted)
    config = complete(fill(InstallConfig, fitted, places), broken=fitted.broken)
    for rule_id, finding in fitted.findings:
        path = finding.path
        report.problems.append(problem(rule_id, finding, spell(path), places.line(path)))
    for rule_id, finding in _checked(config, fitted.broken):
        path = places.written(finding.path)
        if not follows_from(path, fitted.broken):
            report.problems.append(problem(rule_id, finding, spell(path), places.line(path)))
    return Loaded(config, report)


def _checked(config: InstallConfig, broken: set[Path]) -> Iterable[tuple[str, Finding]]:
    for rule in rules.every():
        unreadable = any(touches(path, need) for need in rule.needs for path in broken)
        if rule.check is not None and not unreadable:
            for finding in rule.check(config):
                yield rule.id, finding
