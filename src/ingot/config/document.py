"""YAML with the line of every value, read in bounded time and memory.

Why events and a tree of our own, instead of a YAML loader:

* a loader decides types by how a value looks, and turns the password `010203` into a number and the
  MAC `52:54:00:12:34:56` into base 60; here a scalar stays text until the model says what it is;
* loaders drop duplicate keys and lines, which are what a person needs to be told;
* depth, node count and what aliases expand to are limited while reading, so a small hostile file
  cannot become a large tree.

The events come from libyaml, which reads 500 hosts in about 15 ms; pure Python readers need a
second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import yaml

from ingot.config.problem import Finding, error
from ingot.config.registry import declare

__all__ = [
    "MAX_BYTES",
    "Document",
    "Entry",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Subject",
    "read",
]

MAX_BYTES = 4 * 1024 * 1024
"""A config of 2000 hosts with static networks is about 2 MB."""

MAX_DEPTH = 64
"""The deepest honoured field lies 8 levels down; networkConfig adds a few."""

MAX_NODES = 250_000
"""Values after aliases are expanded; 2000 hosts with static networks have about 150,000."""

F1 = declare("F1", "The file is readable UTF-8 text of at most 4 MiB.")
F2 = declare("F2", "The file is well-formed YAML: one document that is a mapping of fields.")
F3 = declare("F3", "A key appears once in its mapping.")
F4 = declare(
    "F4",
    "The file is no deeper than 64 levels and no larger than 250,000 values, aliases expanded.",
)


class Scalar(NamedTuple):
    """One value as it stands in the file."""

    text: str
    line: int
    plain: bool
    """Whether it was written without quotes."""


class Entry(NamedTuple):
    """One key of a mapping and its value."""

    line: int
    node: Node


class Mapping(NamedTuple):
    """Keys in the order of the file."""

    entries: dict[str, Entry]
    line: int


class Sequence(NamedTuple):
    """Items in the order of the file."""

    items: list[Node]
    line: int


Node: TypeAlias = Scalar | Mapping | Sequence


@dataclass(frozen=True, slots=True)
class Subject:
    """What a file is about, for those who gave another."""

    name: str
    start: str
    """How to begin one, as an imperative."""


INSTALL_CONFIG = Subject(
    "the install-config", "start from `ingot create install-config --example managed`"
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """A problem of the file itself, with its line."""

    rule: str
    line: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class Document:
    """What was read, as far as it could be: `root` is None when nothing could be made of it."""

    root: Mapping | None
    flaws: tuple[Flaw, ...]


class _StopReadingError(Exception):
    """The rest of the file cannot be read."""

    def __init__(self, rule: str, line: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.flaw = Flaw(rule, line, error((), message, remedy))


@dataclass(slots=True)
class _Frame:
    """A mapping or sequence whose end has not been reached."""

    node: Mapping | Sequence
    anchor: str | None
    size: int = 1
    key: Scalar | None = None
    merged: list[Mapping] = field(default_factory=list)

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node, Mapping)


def read(data: bytes, subject: Subject = INSTALL_CONFIG) -> Document:
    """Read a file's bytes; every flaw that does not end the reading is collected."""
    reader = _Reader(subject)
    try:
        root = reader.read(_decode(data, subject))
    except _StopReadingError as stop:
        return Document(None, (*reader.flaws, stop.flaw))
    return Document(root, tuple(reader.flaws))


def _decode(data: bytes, subject: Subject) -> str:
    if len(data) > MAX_BYTES:
        raise _StopReadingError(
            F1,
            1,
            f"the file is larger than {MAX_BYTES // 1024**2} MiB",
            f"check that this is {subject.name}, and not an image or a log",
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _StopReadingError(F1, 1, "the file is UTF-16 text", "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        raise _StopReadingError(
            F1,
            line,
            f"byte {bad.start} (0x{data[bad.start]:02x}) is not UTF-8 text",
            "check that this is a text file, and save it as UTF-8",
        ) from bad


class _Reader:
    """Turns libyaml's events into a tree, one event at a time: no recursion, so no deep stack."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.flaws: list[Flaw] = []
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.nodes = 0
        self.roots: list[Node] = []

    def read(self, text: str) -> Mapping:
        try:
            for event in yaml.parse(text, Loader=yaml.CSafeLoader):
                self._take(event)
        except yaml.MarkedYAMLError as bad:
            raise _syntax_error(bad, text) from bad
        except yaml.reader.ReaderError as bad:
            raise _StopReadingError(
                F1,
                text.encode().count(b"\n", 0, max(bad.position, 0)) + 1,
                "the file has a character that text files do not have",
                "check that this is a text file, and remove control characters",
            ) from bad
        return self._only_root()

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            line = _line(event)
            self._refuse_foreign_tag(event.tag, line)
            # implicit[0]: neither quotes nor a tag settle the type.
            scalar = Scalar(event.value, line, event.implicit[0])
            if event.anchor:
                self.anchors[event.anchor] = (scalar, 1)
            self._count(1, line)
            self._place(scalar, 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            frame = self.stack.pop()
            node = _merge(frame) if frame.merged else frame.node
            if frame.anchor:
                self.anchors[frame.anchor] = (node, frame.size)
            self._place(node, frame.size)
        elif isinstance(event, yaml.AliasEvent):
            self._expand(event)

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        line = _line(event)
        self._refuse_foreign_tag(event.tag, line)
        if len(self.stack) >= MAX_DEPTH:
            raise _StopReadingError(
                F4, line, f"values are nested more than {MAX_DEPTH} deep", "check the indentation"
            )
        if self._awaits_key():
            raise _misplaced_key(line)
        self._count(1, line)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        node = Mapping({}, line) if is_mapping else Sequence([], line)
        self.stack.append(_Frame(node, event.anchor))

    def _expand(self, event: yaml.AliasEvent) -> None:
        line = _line(event)
        if event.anchor not in self.anchors:
            # The name is not shown: it may be a password that begins with *.
            raise _StopReadingError(
                F2,
                line,
                "an alias (*) names no anchor (&) above it",
                "put text that begins with * in quotes, or write the anchor before the alias",
            )
        node, size = self.anchors[event.anchor]
        self._count(size, line)
        if self._awaits_key() and not isinstance(node, Scalar):
            raise _misplaced_key(line)
        # An item's line is where it is used; what is inside keeps the lines where it is written.
        self._place(node._replace(line=line), size)

    def _awaits_key(self) -> bool:
        return bool(self.stack) and self.stack[-1].key is None and self.stack[-1].is_mapping

    def _place(self, node: Node, size: int) -> None:
        """Put a finished value where it belongs: into its parent, or at the top."""
        if not self.stack:
            self.roots.append(node)
            return
        frame = self.stack[-1]
        frame.size += size
        parent = frame.node
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif frame.key is not None:
            key, frame.key = frame.key, None
            self._enter(parent, frame, key, node)
        elif isinstance(node, Scalar):
            frame.key = node

    def _enter(self, mapping: Mapping, frame: _Frame, key: Scalar, node: Node) -> None:
        if key.text == "<<" and key.plain:
            frame.merged.extend(self._merge_sources(node, key.line))
            return
        entries = mapping.entries
        if key.text in entries:
            first = entries[key.text].line
            self.flaws.append(
                Flaw(
                    F3,
                    key.line,
                    error(
                        self._path(key.text),
                        f"{_shorten(key.text)} is given twice, first in line {first}",
                        "remove one of them",
                    ),
                )
            )
            return
        entries[key.text] = Entry(key.line, node)

    def _merge_sources(self, node: Node, line: int) -> list[Mapping]:
        sources = node.items if isinstance(node, Sequence) else [node]
        mappings = [source for source in sources if isinstance(source, Mapping)]
        if len(mappings) != len(sources):
            raise _StopReadingError(
                F2, line, "<< merges something that is not a mapping", "merge mappings only"
            )
        return mappings

    def _path(self, key: str) -> tuple[str | int, ...]:
        path: list[str | int] = []
        for frame in self.stack[:-1]:
            if isinstance(frame.node, Sequence):
                path.append(len(frame.node.items))
            elif frame.key is not None:
                path.append(frame.key.text)
        return (*path, key)

    def _count(self, size: int, line: int) -> None:
        self.nodes += size
        if self.nodes > MAX_NODES:
            raise _StopReadingError(
                F4,
                line,
                f"the file has more than {MAX_NODES:,} values once aliases are expanded",
                "write out what is meant instead of nesting aliases",
            )

    def _refuse_foreign_tag(self, tag: str | None, line: int) -> None:
        if tag is not None and tag not in _PLAIN_TAGS:
            # The tag is not shown: it may be a password that begins with an exclamation mark.
            raise _StopReadingError(
                F2,
                line,
                "a value has a tag (!), which has no meaning here",
                "put text that begins with ! in quotes, or remove the tag",
            )

    def _only_root(self) -> Mapping:
        roots = [root for root in self.roots if not (isinstance(root, Scalar) and not root.text)]
        if not roots:
            raise _StopReadingError(F2, 1, "the file is empty", self.subject.start)
        if len(roots) > 1:
            raise _StopReadingError(
                F2,
                roots[1].line,
                "a second YAML document starts here",
                "keep one document in the file; remove the `---` line and what follows",
            )
        root = roots[0]
        if not isinstance(root, Mapping):
            kind = "list" if isinstance(root, Sequence) else "single value"
            raise _StopReadingError(
                F2,
                root.line,
                f"the file holds a {kind}, not a mapping of fields",
                self.subject.start,
            )
        return root


_PLAIN_TAGS = frozenset(
    {"!", *(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "bool", "null", "map", "seq"))}
)


def _merge(frame: _Frame) -> Mapping | Sequence:
    """Return the mapping with what `<<` brought in; what is written out wins, then the first."""
    if not isinstance(frame.node, Mapping):
        return frame.node
    entries: dict[str, Entry] = {}
    for source in (*reversed(frame.merged), frame.node):
        entries.update(source.entries)
    return Mapping(entries, frame.node.line)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _misplaced_key(line: int) -> _StopReadingError:
    return _StopReadingError(
        F2, line, "a list or mapping stands where a field name belongs", "name the field"
    )


def _syntax_error(bad: yaml.MarkedYAMLError, text: str) -> _StopReadingError:
    mark = bad.problem_mark or bad.context_mark
    lines = text.splitlines() or [""]
    # What is missing at the end of the file is marked behind the last line.
    line = min(mark.line + 1, len(lines)) if mark else 1
    problem = bad.problem or "not YAML"
    source = lines[line - 1]
    if "\t" in source[: len(source) - len(source.lstrip())]:
        return _StopReadingError(
            F2, line, "the line is indented with a tab", "indent with spaces, as YAML demands"
        )
    column = f", column {mark.column + 1}" if mark else ""
    context = f" ({bad.context})" if bad.context else ""
    return _StopReadingError(
        F2,
        line,
        f"not well-formed YAML{column}: {problem}{context}",
        "check indentation, colons and quotes around this line",
    )


def _shorten(text: str, limit: int = 60) -> str:
    clean = text if text.isprintable() else repr(text)[1:-1]
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
