"""Writes what is made from the code: reference pages, and the help that `ingot` starts with.

Run it by `make generate`. With `--check` nothing is written, and a stale file is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

import ingot.config.loading  # noqa: F401 - declares the rules that are enforced while reading
from ingot.config import rules
from ingot.config.explain import FieldDoc, children
from ingot.config.registry import RETIRED

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
CLI = ROOT / "src" / "ingot" / "cli"

THEMES = {
    "F": "The file",
    "C": "Old forms",
    "D": "Old forms (warnings)",
    "G": "General",
    "N": "Networking",
    "P": "Virtual IPs",
    "M": "Pools",
    "B": "Platform and hosts",
    "R": "Provisioning",
    "X": "Gaps that other installers leave open",
    "U": "Not built yet",
    "O": "Fields that only OpenShift has",
}


def main() -> int:
    """Write or compare every generated file."""
    checking = sys.argv[1:] == ["--check"]
    stale = []
    for path, content in generated():
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        stale.append(path.relative_to(ROOT))
        if not checking:
            path.write_text(content, encoding="utf-8")
    for path in stale:
        sys.stdout.write(f"{'stale' if checking else 'written'}: {path}\n")
    if checking and stale:
        sys.stdout.write("run `make generate` and commit the result\n")
        return 1
    return 0


def generated() -> Iterator[tuple[Path, str]]:
    """Return each generated file with its content."""
    yield CLI / "help.txt", help_text(colour=False)
    yield CLI / "help.ansi", help_text(colour=True)
    yield REFERENCE / "rules.md", rules_page()
    yield REFERENCE / "install-config.md", install_config_page()


def help_text(*, colour: bool) -> str:
    """Return the top help, as the real command line renders it at 80 columns."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "GITHUB_ACTIONS")
    }
    # A width takes the real path; see ingot.cli.start.
    environment |= {"TERMINAL_WIDTH": "80", "FORCE_COLOR" if colour else "NO_COLOR": "1"}
    if colour:
        environment["TERM"] = "xterm-256color"
    shown = subprocess.run(  # noqa: S603 - our own command
        [Path(sys.executable).parent / "ingot", "--help"],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    return "\n".join(line.rstrip() for line in shown.strip("\n").splitlines()) + "\n"


def rules_page() -> str:
    """Return the page of all rules."""
    lines = [
        "# Rules of the install-config",
        "",
        "Generated from the code. `ingot validate` names the rule behind each error and warning.",
        "",
        "Ids of the forms C, G, N, P, M, B and R are shared with the field's own installer, so",
        "that one can compare; the others are ours. A note says where a rule differs.",
        "",
    ]
    by_theme: dict[str, list[str]] = {letter: [] for letter in THEMES}
    for rule in sorted(rules.every(), key=lambda one: (one.id[0], int(one.id[1:]))):
        note = f"<br>*{escape(rule.note, quote=False)}*" if rule.note else ""
        by_theme[rule.id[0]].append(
            f"| `{rule.id}` | {escape(rule.statement, quote=False)}{note} |"
        )
    for letter, rows in by_theme.items():
        lines += [f"## {THEMES[letter]}", "", "| rule | what must hold |", "|---|---|", *rows, ""]
    lines += [
        "## Rules of the field's installer that do not apply",
        "",
        "| rule | why not |",
        "|---|---|",
    ]
    retired = sorted(RETIRED.values(), key=lambda one: (one.id[0], int(one.id[1:])))
    lines += [f"| `{one.id}` | {one.reason[0].upper()}{one.reason[1:]} |" for one in retired]
    return "\n".join(lines) + "\n"


def install_config_page() -> str:
    """Return the page of all fields."""
    lines = [
        "# install-config.yaml, field by field",
        "",
        "Generated from the model; `ingot explain PATH` tells the same in the terminal.",
        "",
    ]
    lines += ["## Top level", "", *_field_table(children(None))]
    for doc in _sections(children(None)):
        lines += [f"## `{doc.path}`", "", doc.meaning, "", *_field_table(children(doc))]
    return "\n".join(lines)


def _sections(docs: list[FieldDoc]) -> Iterator[FieldDoc]:
    for doc in docs:
        if doc.section is not None and children(doc) and not doc.note:
            yield doc
            yield from _sections(children(doc))


def _field_table(docs: list[FieldDoc]) -> list[str]:
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for doc in docs:
        name = doc.path.rpartition(".")[2]
        kind = ", ".join(f"`{word}`" for word in doc.allowed) or doc.kind
        default = f"`{doc.default}`" if doc.default else ""
        note = f"**{doc.note[0].upper()}{doc.note[1:]}.** " if doc.note else ""
        lines.append(f"| `{name}` | {kind} | {default} | {note}{doc.meaning} |")
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(main())
