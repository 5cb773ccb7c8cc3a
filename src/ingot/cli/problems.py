"""How the problems of a file are shown: each with its line, its rule and a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ingot.config.problem import Problem, Report

__all__ = ["as_json", "counted", "print_problems"]


def print_problems(report: Report, name: str, *, err: bool = False) -> None:
    """Print every problem of a file of some name, errors first."""
    for problem in [*report.errors, *report.warnings]:
        _print_problem(problem, name, err=err)


def counted(report: Report) -> str:
    """Return how many errors and warnings there are."""
    return f"{_count(len(report.errors), 'error')}, {_count(len(report.warnings), 'warning')}"


def as_json(report: Report) -> dict[str, object]:
    """Return the form for machines."""
    return {
        "valid": report.valid,
        "errors": [problem.as_json() for problem in report.errors],
        "warnings": [problem.as_json() for problem in report.warnings],
    }


def _print_problem(problem: Problem, name: str, *, err: bool) -> None:
    colour = "red" if problem.severity == "error" else "yellow"
    place = f"{name}:{problem.line}" if problem.line else name
    kind = typer.style(f"{problem.severity} {problem.rule}", fg=colour, bold=True)
    where = f"{typer.style(problem.field, bold=True)}: " if problem.field else ""
    typer.echo(f"{place}: {kind}: {where}{problem.message}", err=err)
    if problem.remedy:
        typer.echo(f"    {problem.remedy}", err=err)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
