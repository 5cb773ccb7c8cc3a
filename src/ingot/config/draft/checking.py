"""Whether an answer can stand, said by the rules of the config themselves.

An answer is tried by loading the file that it would give together with the answers before it. What
the rules miss because it was not asked yet is left aside; anything else is the fault of this
answer, since those before it have passed. There is no second copy of a rule that could drift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingot.config.draft.answers import Answer, Draft
from ingot.config.draft.questions import EVERY, HOSTS, Question, questions
from ingot.config.draft.text import render
from ingot.config.loading import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingot.config.problem import Problem, Report

__all__ = ["before", "problems", "refusal"]


def problems(draft: Draft) -> Report:
    """Return everything that is wrong with the file that a draft gives."""
    return load(render(draft).encode()).report


def refusal(draft: Draft, question: Question, answer: Answer) -> str:
    """Return why an answer cannot stand after those before it, or an empty string."""
    if isinstance(answer, str) and not answer and "sshKey" not in question.fields:
        return "this needs an answer"
    tried = before(draft, question).answered(question.slot, answer)
    waiting = set(_waiting(tried))
    try:
        errors = problems(tried).errors
    except UnicodeEncodeError:
        return "there are bytes in it that are no text; type it again"
    found = [problem for problem in errors if not _concerns(problem, waiting)]
    return found[0].sentence if found else ""


def before(draft: Draft, question: Question) -> Draft:
    """Return the draft as it was when a question was reached."""
    reached = Draft()
    for earlier in questions(draft):
        if earlier.slot == question.slot:
            break
        answer = draft.answer(earlier.slot)
        if answer is not None:
            reached = reached.answered(earlier.slot, answer)
    return reached


def _waiting(draft: Draft) -> Iterator[str]:
    """Return the fields that no answer has decided yet."""
    for one in (*EVERY, *questions(draft)):
        if draft.answer(one.slot) is None:
            yield from one.fields
    if draft.masters is None or draft.workers is None:
        yield HOSTS


def _concerns(problem: Problem, fields: set[str]) -> bool:
    return any(_within(problem.field, one) or _within(one, problem.field) for one in fields)


def _within(field: str, outer: str) -> bool:
    return field == outer or field.startswith((f"{outer}.", f"{outer}["))
