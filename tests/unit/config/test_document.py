"""YAML with the line of every value: what is read, what is refused, and in which line."""

from __future__ import annotations

import pytest

from ingot.config.document import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    Document,
    Mapping,
    Node,
    Scalar,
    Sequence,
    read,
)
from ingot.config.problem import spell
from tests.unit.config.configs import Case, accepted, changed, refused, table

FILE = ""
VALID = changed().data


def nested(depth: int) -> str:
    return "a: " + "[" * depth + "]" * depth


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


CASES = table(
    # rule F1: text
    accepted("F1", "UTF-8", text=VALID),
    accepted("F1", "a byte order mark", text=b"\xef\xbb\xbf" + VALID),
    accepted("F1", "line ends of Windows", text=VALID.replace(b"\n", b"\r\n")),
    accepted("F1", "other scripts in comments", text="# Gestell ü 架\n".encode() + VALID),
    refused(
        "F1",
        FILE,
        "UTF-16, little end first",
        text="apiVersion: v1".encode("utf-16"),
        line=1,
        says="UTF-16",
    ),
    refused("F1", FILE, "UTF-16, big end first", text=b"\xfe\xff\x00a", line=1, says="UTF-16"),
    refused(
        "F1",
        FILE,
        "Latin-1",
        text="a: 1\nb: Gestüt\n".encode("latin-1"),
        line=2,
        says="byte 12 (0xfc)",
    ),
    refused(
        "F1", FILE, "a picture", text=b"\x89PNG\r\n\x1a\n\x00\x00", line=1, says="byte 0 (0x89)"
    ),
    refused(
        "F1", FILE, "control characters", text="a: ü\nb: ü\nc: \x00\n", line=3, says="character"
    ),
    refused("F1", FILE, "an escape sequence", text="a: 1\nb: \x1b[31m\n", line=2),
    refused(
        "F1", FILE, "a file that is too large", text=b"#" * (MAX_BYTES + 1), line=1, says="4 MiB"
    ),
    # rule F2: one document of fields
    accepted("F2", "one document", text=VALID),
    accepted("F2", "one that is marked", text=b"---\n" + VALID + b"...\n"),
    accepted("F2", "a trailing mark", text=VALID + b"---\n"),
    accepted("F2", "tags of plain kinds", text=VALID.replace(b'"rack1"', b'!!str "rack1"')),
    refused("F2", FILE, "an empty file", text="", line=1, says="empty"),
    refused("F2", FILE, "white space", text="\n  \n\n", line=1, says="empty"),
    refused("F2", FILE, "only comments", text="# nothing\n# here\n", line=1, says="empty"),
    refused("F2", FILE, "only marks", text="---\n---\n", line=1, says="empty"),
    refused("F2", FILE, "a list", text="# hosts\n- a\n- b\n", line=2, says="a list, not a mapping"),
    refused("F2", FILE, "text", text="hello\n", line=1, says="a single value"),
    refused(
        "F2",
        FILE,
        "a second document",
        text="a: 1\n---\nb: 2\n",
        line=3,
        says="second YAML document",
    ),
    refused("F2", FILE, "a bad second document", text="a: 1\n---\n[", line=3),
    refused("F2", FILE, "a tab", text="a:\n\tb: 1\n", line=2, says="tab"),
    refused("F2", FILE, "an open bracket", text="a: [1, 2\nb: 3\n", line=2, says="not well-formed"),
    refused("F2", FILE, "an open bracket at the end", text="a: [1,\n", line=1),
    refused("F2", FILE, "a colon too many", text="a: 1\nb: c: 2\n", line=2, says="column 5"),
    refused("F2", FILE, "indentation", text="a:\n    b: 1\n  c: 2\n", line=3),
    refused(
        "F2",
        FILE,
        "a list as a name",
        text="? [a]\n: 1\n",
        line=1,
        says="where a field name belongs",
    ),
    refused("F2", FILE, "a mapping as a name", text="a: 1\n? {b: 2}\n: 1\n", line=2),
    refused("F2", FILE, "an alias of a list as a name", text="a: &a [1]\n*a : 2\n", line=2),
    refused(
        "F2", FILE, "an undefined alias", text="a: 1\nb: *nowhere\n", line=2, says="an alias (*)"
    ),
    refused("F2", FILE, "an alias of itself", text="a: &a\n  b: *a\n", line=2, says="an alias (*)"),
    refused(
        "F2",
        FILE,
        "an object of Python",
        text="a: !!python/object:os.system x\n",
        line=1,
        says="a tag (!)",
    ),
    refused("F2", FILE, "binary data", text="a: 1\nb: !!binary aGk=\n", line=2, says="a tag (!)"),
    refused("F2", FILE, "a tag of one's own", text="a: !secret x\n", line=1, says="a tag (!)"),
    refused("F2", FILE, "a tagged list", text="a: 1\nb: !!set {x}\n", line=2),
    refused("F2", FILE, "an undefined handle", text="a: !e!x 1\n", line=1, says="tag handle"),
    refused("F2", FILE, "a merge of text", text="a: 1\nb: {<<: x}\n", line=2, says="not a mapping"),
    refused("F2", FILE, "a merge of a list of text", text="b:\n  <<: [x]\n", line=2),
    # rule F3: keys
    accepted("F3", "keys that differ", text=VALID),
    accepted(
        "F3",
        "keys that are written over a merge",
        text=VALID + b"publish: &p {a: 1}\nfips: {<<: *p, a: 2}\n",
    ),
    # rule F4: size
    accepted("F4", "some depth", text=VALID + f"publish: {nested(MAX_DEPTH - 3)[3:]}\n".encode()),
    accepted("F4", "aliases", text=VALID + b"publish: &p [1, 2]\nfips: [*p, *p]\n"),
    refused("F4", FILE, "too deep brackets", text=nested(MAX_DEPTH), line=1, says="64 deep"),
    refused("F4", FILE, "a hundred thousand brackets", text="a: " + "[" * 100_000, line=1),
    refused(
        "F4",
        FILE,
        "too deep indentation",
        text="\n".join(" " * n + f"k{n}:" for n in range(99)),
        line=65,
    ),
    refused(
        "F4", FILE, "too many values", text="a: [" + "1," * MAX_NODES + "]", line=1, says="250,000"
    ),
    refused("F4", FILE, "an alias bomb", text=bomb(12), line=6, says="aliases are expanded"),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_document_rules(case: Case) -> None:
    case.check()


DUPLICATES = table(
    refused("F3", "a", "a key twice", text="a: 1\nb: 2\na: 3\n", line=3, says="first in line 1"),
)


@pytest.mark.parametrize("case", DUPLICATES, ids=str)
def test_a_duplicate_is_told_in_the_line_of_the_second(case: Case) -> None:
    document = read(case.config.data)

    assert [(flaw.rule, flaw.line) for flaw in document.flaws] == [(case.rule, case.line)]
    assert [spell(flaw.finding.path) for flaw in document.flaws] == list(case.fields)
    assert case.says in document.flaws[0].finding.message


def flaws_of(document: Document) -> list[tuple[str, int, str]]:
    return [(flaw.rule, flaw.line, spell(flaw.finding.path)) for flaw in document.flaws]


def test_every_duplicate_is_told_at_once_with_its_path() -> None:
    document = read(
        b"a:\n  b: 1\n  b: 2\nc:\n- d: 1\n- d: 1\n  e: 2\n  d: 3\na: 4\ne: {f: {g: 1, g: 2}}\n"
    )

    assert flaws_of(document) == [
        ("F3", 3, "a.b"),
        ("F3", 8, "c[1].d"),
        ("F3", 9, "a"),
        ("F3", 10, "e.f.g"),
    ]


def test_the_first_of_two_duplicates_is_kept() -> None:
    assert plain(root(b"a: 1\na: 2\n")) == {"a": "1"}


def test_duplicates_are_told_although_the_rest_is_unreadable() -> None:
    assert [rule for rule, _, _ in flaws_of(read(b"a: 1\na: 2\nb: [\n"))] == ["F3", "F2"]


def test_a_syntax_error_behind_the_last_line_is_told_in_the_last_line() -> None:
    (flaw,) = read(b"a: 'never closed\n").flaws

    assert flaw.line == 1


# ---------------------------------------------------------------- what is read


def root(data: bytes) -> Mapping:
    document = read(data)
    assert document.root is not None
    return document.root


def plain(node: Node) -> object:
    if isinstance(node, Mapping):
        return {key: plain(entry.node) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return node.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("010203", Scalar("010203", 1, plain=True)),
        ("52:54:00:12:34:56", Scalar("52:54:00:12:34:56", 1, plain=True)),
        ("yes", Scalar("yes", 1, plain=True)),
        ("1e3", Scalar("1e3", 1, plain=True)),
        ("'3'", Scalar("3", 1, plain=False)),
        ('"a\\tb"', Scalar("a\tb", 1, plain=False)),
        ("", Scalar("", 1, plain=True)),
        ("''", Scalar("", 1, plain=False)),
        ("!!str 3", Scalar("3", 1, plain=False)),
        ("|\n  one\n  two", Scalar("one\ntwo\n", 1, plain=False)),
    ],
)
def test_a_scalar_stays_text_and_remembers_its_quotes(text: str, expected: Scalar) -> None:
    assert root(f"a: {text}\n".encode()).entries["a"].node == expected


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"# c\na: 1\nb:\n  c:\n  - d\n  - e: 2\n", id="unix"),
        pytest.param(b"# c\r\na: 1\r\nb:\r\n  c:\r\n  - d\r\n  - e: 2\r\n", id="windows"),
        pytest.param(b"\xef\xbb\xbf# c\na: 1\nb:\n  c:\n  - d\n  - e: 2\n", id="byte order mark"),
        pytest.param(b"---\na: 1\nb:\n  c:\n  - d\n  - e: 2\n---\n", id="marks"),
    ],
)
def test_every_value_knows_its_line(data: bytes) -> None:
    top = root(data)
    inner = top.entries["b"].node
    assert isinstance(inner, Mapping)
    items = inner.entries["c"].node
    assert isinstance(items, Sequence)

    assert top.entries["a"].line == 2
    assert (top.entries["b"].line, inner.entries["c"].line) == (3, 4)
    assert [item.line for item in items.items] == [5, 6]


def test_an_alias_stands_for_its_anchor() -> None:
    assert plain(root(b"a: &x {b: 1}\nc: *x\nd: [*x]\n")) == {
        "a": {"b": "1"},
        "c": {"b": "1"},
        "d": [{"b": "1"}],
    }


def test_an_alias_in_a_list_is_in_the_line_where_it_is_used() -> None:
    items = root(b"a: &x 1\nb:\n- 2\n- *x\n").entries["b"].node
    assert isinstance(items, Sequence)

    assert [item.line for item in items.items] == [3, 4]


def test_an_anchor_can_be_given_anew() -> None:
    assert plain(root(b"a: &x 1\nb: *x\nc: &x 2\nd: *x\n")) == {
        "a": "1",
        "b": "1",
        "c": "2",
        "d": "2",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{<<: *x}", {"p": "1", "q": "2"}, id="one"),
        pytest.param("{<<: *x, p: 9}", {"p": "9", "q": "2"}, id="what is written wins"),
        pytest.param("{p: 9, <<: *x}", {"p": "9", "q": "2"}, id="wherever it stands"),
        pytest.param(
            "{<<: [*x, *y]}", {"p": "1", "q": "2", "r": "5"}, id="the first of several wins"
        ),
        pytest.param("{<<: [*y, *x]}", {"p": "4", "q": "2", "r": "5"}, id="in their order"),
        pytest.param("{<<: {p: 7}}", {"p": "7"}, id="a mapping in place"),
        pytest.param("{<<: []}", {}, id="none"),
        pytest.param('{"<<": *x}', {"<<": {"p": "1", "q": "2"}}, id="in quotes it is a name"),
    ],
)
def test_merges(text: str, expected: dict[str, object]) -> None:
    top = root(f"x: &x {{p: 1, q: 2}}\ny: &y {{p: 4, r: 5}}\nm: {text}\n".encode())

    assert plain(top.entries["m"].node) == expected


def test_a_merged_field_keeps_the_line_where_it_is_written() -> None:
    merged = root(b"x: &x\n  p: 1\nm:\n  <<: *x\n  q: 2\n").entries["m"].node
    assert isinstance(merged, Mapping)

    assert (merged.entries["p"].line, merged.entries["q"].line) == (2, 5)


def test_a_merge_of_a_merge() -> None:
    assert plain(root(b"a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\n").entries["c"].node) == {
        "x": "1",
        "y": "2",
    }
