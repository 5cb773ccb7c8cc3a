"""Every fault has a test on real parts that shows its effect and that clearing restores.

Such a test has the fault's name in its own, with underscores; or it names the kind, as
`FaultKind.BMC_SLOW` or `"bmc-slow"`, in what it does or in the table it is run with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ingot.lab.faults.kind import FaultKind

TESTS = Path(__file__).parents[3]
KINDS = frozenset(str(kind) for kind in FaultKind)
ON_REAL_PARTS = ("integration", "e2e", "fidelity")


def shown_by(source: str) -> Iterator[str]:
    """Return the names of the tests in a file, and of the kinds that they name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name
            yield from _kinds(node)


def _kinds(test: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Constant) and node.value in KINDS:
            yield str(node.value).replace("-", "_")
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "FaultKind":
            yield node.attr.lower()


@cache
def everything_shown() -> frozenset[str]:
    files = (file for part in ON_REAL_PARTS for file in (TESTS / part).rglob("test_*.py"))
    return frozenset(
        words for file in files for words in shown_by(file.read_text(encoding="utf-8"))
    )


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_fault_is_shown_on_real_parts(kind: FaultKind) -> None:
    name = kind.replace("-", "_")
    assert any(name in words for words in everything_shown()), (
        f"no test below {', '.join(ON_REAL_PARTS)} names {name}"
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def test_bmc_slow_is_slow(): ...", {"test_bmc_slow_is_slow"}),
        (
            "@table('kind', [FaultKind.BMC_500, 'bmc-503'])\ndef test_x(): ...",
            {"test_x", "bmc_500", "bmc_503"},
        ),
        ("def test_x(): book.set(FaultKind.NO_DHCP)", {"test_x", "no_dhcp"}),
        ("def bmc_slow(): ...\nKIND = 'bmc-slow'", set()),
        ("def test_x(): Other.BMC_SLOW", {"test_x"}),
    ],
)
def test_only_what_tests_themselves_name_counts(source: str, words: set[str]) -> None:
    assert set(shown_by(source)) == words
