"""The answers as tables, without any secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ingot.config.draft import Draft, Kind, Question, questions
from ingot.config.model import Role
from ingot.config.problem import Problem, Severity
from ingot.config.secret import Secret, SecretSource

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["gist", "key_in_short", "summary", "told"]

_PATH = re.compile(r"(?<=[^:/])(/[^/].*)")
"""The path of a BMC's address, which goes to a line of its own."""


def summary(draft: Draft) -> RenderableType:
    """Return what was answered so far."""
    parts: list[RenderableType] = [_cluster(draft)]
    if draft.hosts:
        parts += ["", _hosts(draft)]
    return Group(*parts)


def gist(draft: Draft, section: str) -> str:
    """Return the first answers of a section, to know it by."""
    chosen = [question for question in questions(draft) if question.section == section]
    return ", ".join(_shown(draft, question) for question in chosen[:2])


def key_in_short(key: str) -> str:
    """Return what tells a public key from others: its type and its comment."""
    kind, _, rest = key.partition(" ")
    _, _, comment = rest.partition(" ")
    return f"{kind} {comment}".strip()


def told(problem: Problem) -> Text:
    """Return a problem as one paragraph."""
    colour = "red" if problem.severity is Severity.ERROR else "yellow"
    return Text.assemble((f"{problem.severity}: ", colour), problem.sentence)


def _cluster(draft: Draft) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _rows(draft):
        table.add_row(Text(label), Text(value))
    return table


def _rows(draft: Draft) -> Iterator[tuple[str, str]]:
    for question in questions(draft):
        shown = _shown(draft, question)
        if shown and question.slot.role is Role.NONE:
            yield question.label, shown


def _shown(draft: Draft, question: Question) -> str:
    answer = draft.answer(question.slot)
    if answer is None:
        return ""
    if isinstance(answer, Secret):
        return "typed" if answer.source is SecretSource.INLINE else f"${answer.value}"
    if question.kind is Kind.SSH_KEY:
        return key_in_short(str(answer)) or "none"
    return next((one.name for one in question.options if one.value == answer), str(answer))


def _hosts(draft: Draft) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("Host", "BMC", "Login", "Boot MAC"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "Boot MAC")
    sections: dict[str, dict[str, str]] = {}
    for question in questions(draft):
        if question.slot.role is not Role.NONE:
            cells = sections.setdefault(question.section, {})
            cells[question.slot.name] = _shown(draft, question)
    for cells in sections.values():
        if any(cells.values()):
            login = f"{cells['username']}\n{cells['password']}"
            bmc = _PATH.sub(r"\n\1", cells["bmc_address"])
            table.add_row(*map(Text, (cells["name"], bmc, login, cells["boot_mac"])))
    return table
