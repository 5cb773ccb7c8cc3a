"""Bad input by the thousand: whatever the file, there is a report, and it can be acted on.

Valid configs are damaged as files get damaged: bytes by bad disks and careless copying, lines by
editors and people, values by people and programs. A failing example is printed with a blob that
replays it.
"""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Final

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingot.config import document
from ingot.config.loading import load
from ingot.config.registry import RULES
from tests.unit.config.configs import FULL, changed

EXAMPLES: Final = [
    path.read_bytes()
    for path in sorted(files("ingot.config").joinpath("examples").iterdir(), key=str)
    if path.name.endswith(".yaml")
]
CONFIGS: Final = [*EXAMPLES, changed().data, changed(FULL).data]
TREES: Final = [yaml.safe_load(data) for data in CONFIGS]

by_the_thousand = settings(
    deadline=None,
    max_examples=400,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(data: bytes) -> None:
    """Check that a file gives a report whose every problem has a rule, a line and a message."""
    loaded = load(data)
    text = data.decode("utf-8-sig", errors="replace")
    lines = max(len(text.splitlines()), 1)

    for problem in loaded.report.problems:
        assert problem.rule in RULES
        assert 1 <= problem.line <= lines
        assert problem.message.strip()
        assert json.dumps(problem.as_json())
    if document.read(data).root is None:
        assert loaded.config is None
        assert not loaded.report.valid
    else:
        assert loaded.config is not None


@pytest.mark.parametrize("data", CONFIGS, ids=range(len(CONFIGS)))
def test_what_is_damaged_below_is_valid_at_first(data: bytes) -> None:
    assert load(data).report.valid
    check(data)


# ---------------------------------------------------------------- bytes


def _delete(data: bytes, start: int, end: int, _: bytes) -> bytes:
    return data[:start] + data[end:]


def _duplicate(data: bytes, start: int, end: int, _: bytes) -> bytes:
    return data[:end] + data[start:]


def _insert(data: bytes, start: int, _: int, new: bytes) -> bytes:
    return data[:start] + new + data[start:]


def _overwrite(data: bytes, start: int, end: int, new: bytes) -> bytes:
    return data[:start] + new + data[end:]


def _swap(data: bytes, start: int, end: int, _: bytes) -> bytes:
    middle = data[start:end]
    return data[:start] + middle[::-1] + data[end:]


def _truncate(data: bytes, start: int, _: int, __: bytes) -> bytes:
    return data[:start]


SIGNS: Final = [*b":-#&*!|>'\"%@`{}[],?\t\r\n \\<~=", 0x00, 0x85, 0xFF, 0xC3]
NEW_BYTES: Final = st.one_of(
    st.lists(st.sampled_from(SIGNS), min_size=1, max_size=6).map(bytes),
    st.sampled_from(["\u0085", "\u2028", "\ufeff", "é", "\r"]).map(str.encode),
    st.binary(max_size=8),
)


@st.composite
def damaged_bytes(draw: st.DrawFn) -> bytes:
    data = draw(st.sampled_from(CONFIGS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(start + draw(st.integers(0, 60)), len(data))
        way = draw(st.sampled_from([_delete, _duplicate, _insert, _overwrite, _swap, _truncate]))
        data = way(data, start, end, draw(NEW_BYTES))
    return data


@by_the_thousand
@given(data=damaged_bytes())
def test_damaged_bytes_give_a_report(data: bytes) -> None:
    check(data)


@by_the_thousand
@given(data=st.binary(max_size=400))
def test_random_bytes_give_a_report(data: bytes) -> None:
    check(data)


# ---------------------------------------------------------------- lines


@st.composite
def damaged_lines(draw: st.DrawFn) -> bytes:
    lines = draw(st.sampled_from(CONFIGS)).decode().splitlines()
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(lines) - 1))
        other = draw(st.integers(0, len(lines) - 1))
        way = draw(
            st.sampled_from(
                ["drop", "repeat", "move", "indent", "dedent", "tab", "join", "comment"]
            )
        )
        if way == "drop" and len(lines) > 1:
            del lines[at]
        elif way == "repeat":
            lines.insert(other, lines[at])
        elif way == "move":
            lines.insert(other, lines.pop(at))
        elif way == "indent":
            lines[at] = " " * draw(st.integers(1, 6)) + lines[at]
        elif way == "dedent":
            lines[at] = lines[at][draw(st.integers(1, 4)) :]
        elif way == "tab":
            lines[at] = "\t" + lines[at]
        elif way == "join":
            lines[at] += " " + lines[other].strip()
        else:
            lines[at] = f"# {lines[at]}"
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines).encode()


@by_the_thousand
@given(data=damaged_lines())
def test_damaged_lines_give_a_report(data: bytes) -> None:
    check(data)


# ---------------------------------------------------------------- values

TEXTS: Final = [
    "", " ", "null", "~", "true", "0", "-1", "1e3", "0x10", "[", "{", "*", "&a", "!t", "<<", "=",
    "192.0.2.5", "192.0.2.0/24", "192.0.2.1/24", "0.0.0.0/0", "::/0", "fd00::/8", "::ffff:1.2.3.4",
    "fe80::1%eth0", "010.0.0.1", "1.2.3", "52:54:00:00:00:10", "FF:FF:FF:FF:FF:FF", "Disabled",
    "managed", "UserManaged", "redfish-uefihttp://x", "ipmi://[::1", "http://[", "https://:@:",
    "172.22.0.9,172.22.0.1", "ssh-rsa AAAA", "-----BEGIN CERTIFICATE-----", '{"auths": []}', "é",
    "\ud7ff", "\u2028", "a" * 300, "\x7f", "{message}", "{0}", "%s",
]  # fmt: skip
SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from(TEXTS),
    st.text(max_size=12),
    st.dates(),
)
KEYS: Final = st.one_of(
    st.sampled_from(["name", "cidr", "bmc", "address", "env", "file", "interfaces", "<<", "hosts"]),
    st.text(max_size=8),
)
VALUES: Final = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(KEYS, below, max_size=4),
    max_leaves=8,
)


def _places(tree: object) -> list[tuple[dict[str, object] | list[object], str | int]]:
    """Return every place of a tree as a collection and the key or index in it."""
    found: list[tuple[dict[str, object] | list[object], str | int]] = []
    if isinstance(tree, dict):
        found += [(tree, key) for key in tree]
        below = list(tree.values())
    elif isinstance(tree, list):
        found += [(tree, index) for index in range(len(tree))]
        below = list(tree)
    else:
        return found
    for one in below:
        found += _places(one)
    return found


@st.composite
def damaged_trees(draw: st.DrawFn) -> bytes:
    tree = copy.deepcopy(draw(st.sampled_from(TREES)))
    for _ in range(draw(st.integers(1, 4))):
        places = _places(tree)
        if not places:
            break
        collection, key = places[draw(st.integers(0, len(places) - 1))]
        collection[key] = draw(VALUES)  # type: ignore[index]  # its own key
    flow = draw(st.sampled_from([None, False, True]))
    return yaml.safe_dump(
        tree, sort_keys=False, allow_unicode=True, default_flow_style=flow, encoding="utf-8"
    )


@by_the_thousand
@given(data=damaged_trees())
def test_damaged_values_give_a_report(data: bytes) -> None:
    check(data)
