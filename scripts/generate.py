"""Writes what is made from the code: reference pages, CRDs, and the help that `ingot` starts with.

Run it by `make generate`. With `--check` nothing is written, and a stale file is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import ingot.config.loading  # noqa: F401 - declares the rules that are enforced while reading
from ingot.config import rules
from ingot.config.explain import FieldDoc, children, documented
from ingot.config.registry import RETIRED
from ingot.kube.crd import manifest
from ingot.lab import rules as lab_rules
from ingot.lab.description import LabDescription
from ingot.lab.faults.kind import KINDS, FaultKind, KindInfo
from ingot.machineapi.api import kinds as machine_kinds
from ingot.metal3.api import reference
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.host.counting import DECLARED
from ingot.metal3.operator.options import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
CLI = ROOT / "src" / "ingot" / "cli"
CRDS = ROOT / "src" / "ingot" / "metal3" / "crds"
MACHINE_CRDS = ROOT / "src" / "ingot" / "machineapi" / "crds"

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


MANY = 12
"""Words that a table's cell can list."""

FAULT_THEMES = {
    "The BMC's Redfish": ("bmc-", "session-"),
    "Power and boot": ("power-", "boot-override", "boot-order"),
    "Virtual media": ("media-", "iso-"),
    "IPMI": ("ipmi-",),
    "Wires": ("no-dhcp", "nic-"),
    "The host": ("boot-slow", "disk-", "powers-", "clock-", "cpu-"),
}
FAULT_HEAD = ("| fault | effect | counted | `--amount` |", "|---|---|---|---|")


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
    yield REFERENCE / "lab-yaml.md", lab_page()
    yield REFERENCE / "lab-faults.md", faults_page()
    yield REFERENCE / "metal3-api.md", reference.page()
    yield REFERENCE / "host-operator.md", operator_page()
    for definition in DEFINITIONS:
        yield CRDS / f"{definition.plural}.yaml", manifest.rendered(definition)
    for kind in machine_kinds.DEFINITIONS:
        yield MACHINE_CRDS / f"{kind.plural}.yaml", manifest.rendered(kind)


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
    return "\n".join([*lines, *_tables(children(None), children)])


def lab_page() -> str:
    """Return the page of all fields and rules of a lab.yaml."""
    lines = [
        "# lab.yaml, field by field",
        "",
        "Generated from the model. Nothing need be said: what is left out has its default.",
        "[The lab](../guide/lab.md) has examples.",
        "",
        *_tables(documented(LabDescription), _below),
        "## Rules",
        "",
        "`ingot lab create` names the rule behind each error, with its line, before anything is",
        "made. Rules that begin with F are about the file itself, and are",
        "[those of the install-config](rules.md#the-file).",
        "",
        "| rule | what must hold |",
        "|---|---|",
        *(f"| `{rule.id}` | {escape(rule.statement, quote=False)} |" for rule in lab_rules.every()),
    ]
    return "\n".join(lines) + "\n"


def operator_page() -> str:
    """Return the page of the operator's variables and metrics."""
    lines = [
        "# The host operator",
        "",
        "`ingot-node operator` is told by its environment. Names without `INGOT` are those of",
        "upstream's operator. All mistakes are told at once, and then it ends with code 2.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
        *(
            f"| `{name}` | {f'`{default}`' if default else ''} | {escape(meaning, quote=False)} |"
            for name, (default, meaning) in VARIABLES.items()
        ),
        "",
        "[Hosts](../guide/hosts.md) tells what it does, and what to look at when a host does not",
        "get on.",
        "",
        "## Metrics",
        "",
        "On `/metrics` of the health port, with controller-runtime's own for the queue and the",
        "workers. Histograms have buckets; all others only grow.",
        "",
        "| metric | labels | what is counted |",
        "|---|---|---|",
        *(
            f"| `{one.name}` | {', '.join(f'`{label}`' for label in one.labels)} | {one.meaning} |"
            for one in DECLARED
        ),
    ]
    return "\n".join(lines) + "\n"


def _below(doc: FieldDoc) -> list[FieldDoc]:
    return documented(doc.section, doc.path) if doc.section else []


def faults_page() -> str:
    """Return the page of all kinds of fault."""
    lines = [
        "# Faults",
        "",
        "Generated from the table that commands and tests read; `ingot lab fault kinds` shows it",
        "in the terminal. [The lab](../guide/lab.md#faults) walks through some.",
        "",
        "*Counted* is what one occasion is, of which `--rate`, `--times` and `--after` speak. A",
        "fault without occasions is simply there until it is cleared.",
        "",
    ]
    told: list[FaultKind] = []
    for title, begins in FAULT_THEMES.items():
        kinds = [kind for kind in KINDS if kind.startswith(begins)]
        rows = [_fault_row(kind, KINDS[kind]) for kind in kinds]
        lines += [f"## {title}", "", *FAULT_HEAD, *rows, ""]
        told += kinds
    if sorted(told) != sorted(KINDS):
        raise ValueError("each kind of fault belongs to one theme of the page")
    return "\n".join(lines)


def _fault_row(kind: FaultKind, info: KindInfo) -> str:
    amount = ""
    if info.amount is not None:
        amount = f"{info.amount}, {info.least:g} to {info.most:g}; default {info.default:g}"
    times = "; strikes once unless told" if info.times == 1 else ""
    return f"| `{kind}` | {info.effect}{times} | {info.counts or 'no'} | {amount} |"


def _tables(top: list[FieldDoc], below: Callable[[FieldDoc], list[FieldDoc]]) -> list[str]:
    lines = ["## Top level", "", *_field_table(top)]
    for doc in _sections(top, below):
        lines += [f"## `{doc.path}`", "", doc.meaning, "", *_field_table(below(doc))]
    return lines


def _sections(
    docs: list[FieldDoc], below: Callable[[FieldDoc], list[FieldDoc]]
) -> Iterator[FieldDoc]:
    for doc in docs:
        if doc.section is not None and below(doc) and not doc.note:
            yield doc
            yield from _sections(below(doc), below)


def _field_table(docs: list[FieldDoc]) -> list[str]:
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for doc in docs:
        name = doc.path.rpartition(".")[2]
        few = doc.allowed[:MANY] == doc.allowed
        kind = (few and ", ".join(f"`{word}`" for word in doc.allowed)) or doc.kind
        default = f"`{doc.default}`" if doc.default else ""
        note = f"**{doc.note[0].upper()}{doc.note[1:]}.** " if doc.note else ""
        lines.append(f"| `{name}` | {kind} | {default} | {note}{doc.meaning} |")
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(main())
