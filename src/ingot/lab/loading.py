"""From a lab.yaml's bytes and a command's options to an outline and everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ingot.config import document
from ingot.config.document import F1, MAX_BYTES, Subject
from ingot.config.file import read_file
from ingot.config.filling import Places, fill, follows_from, problem
from ingot.config.problem import Finding, Problem, Report, Severity, spell
from ingot.config.problem import Path as Place
from ingot.config.shape import fit
from ingot.lab import rules
from ingot.lab.description import LabDescription
from ingot.lab.outline import Outline, outline
from ingot.lab.words import DriverKind

__all__ = ["Loaded", "load", "load_file"]

SUBJECT = Subject("the lab.yaml", "write a field, such as `workers: 1`, or do without the file")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A lab and its problems. `lab` is None when nothing could be made of the file."""

    lab: Outline | None
    report: Report


def load_file(path: Path | None, options: Mapping[str, object], *, driver: DriverKind) -> Loaded:
    """Load a lab from a file, `-` being standard input, or from options alone."""
    if path is None:
        return load(b"{}", options, driver=driver)
    try:
        data = read_file(path)
    except OSError as refused:
        why = refused.strerror or str(refused)
        unreadable = Problem(
            F1,
            "",
            0,
            f"{path} cannot be read: {why[:1].lower()}{why[1:]}",
            "name the file, or do without --file",
            Severity.ERROR,
        )
        return Loaded(None, Report([unreadable]))
    return load(data, options, driver=driver)


def load(data: bytes, options: Mapping[str, object], *, driver: DriverKind) -> Loaded:
    """Load a lab from a file's bytes.

    Args:
        data: the file.
        options: fields of the description that win over the file.
        driver: what runs hosts where nothing is said.
    """
    read = document.read(data[: MAX_BYTES + 1], SUBJECT)
    report = Report(
        [
            problem(flaw.rule, flaw.finding, spell(flaw.finding.path), flaw.line)
            for flaw in read.flaws
        ]
    )
    if read.root is None:
        return Loaded(None, report)
    fitted = fit(read.root, LabDescription)
    places = Places(read.root)
    said = fill(LabDescription, fitted, places)
    lab = outline(said.model_copy(update=dict(options)), driver=driver)
    for rule_id, finding in fitted.findings:
        where = spell(finding.path)
        report.problems.append(problem(rule_id, finding, where, places.line(finding.path)))
    for rule_id, finding in _checked(lab):
        place = places.written(finding.path)
        if not follows_from(place, fitted.broken):
            # What an option asks for stands in no line.
            line = places.line(place) if _is_written(place, options, data) else 0
            report.problems.append(problem(rule_id, finding, spell(place), line))
    return Loaded(lab, report)


def _checked(lab: Outline) -> Iterator[tuple[str, Finding]]:
    """Return what rules find; of one place, a rule says one thing: defaults concern every host."""
    told: set[tuple[str, Place]] = set()
    for rule in rules.every():
        for finding in rule.check(lab) if rule.check else ():
            if (rule.id, finding.path) not in told:
                told.add((rule.id, finding.path))
                yield rule.id, finding


def _is_written(place: Place, options: Mapping[str, object], data: bytes) -> bool:
    if data == b"{}" or not place:
        return False
    by_option = {LabDescription.model_fields[name].alias for name in options}
    return place[0] not in by_option
