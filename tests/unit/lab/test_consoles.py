"""Following a console that grows, is cut short, or begins anew."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ingot.lab.consoles import BLOCK, follow, past


@pytest.mark.parametrize(
    ("text", "lines", "shown"),
    [
        (b"a\nb\nc\n", 2, b"b\nc\n"),
        (b"a\nb\nc", 2, b"b\nc"),
        (b"a\n", 5, b"a\n"),
        (b"a\nb\n", 0, b""),
        (b"", 3, b""),
        (b"a\nb\n", None, b"a\nb\n"),
    ],
)
def test_the_last_lines_are_shown(
    text: bytes, lines: int | None, shown: bytes, tmp_path: Path
) -> None:
    (tmp_path / "log").write_bytes(text)
    assert past(tmp_path / "log", lines) == (shown, len(text))


def test_long_lines_are_found_whole(tmp_path: Path) -> None:
    long = b"x" * (BLOCK + 5) + b"\n"
    (tmp_path / "log").write_bytes(b"first\n" + long + b"last\n")
    assert past(tmp_path / "log", 2)[0] == long + b"last\n"


def test_a_console_that_never_was_is_empty(tmp_path: Path) -> None:
    assert past(tmp_path / "log", None) == (b"", 0)


class Over(Exception):  # noqa: N818 - it ends what would go on for ever
    pass


def collected(log: Path, *happenings: Callable[[], object], start: int = 0) -> bytes:
    """Return what is shown while things happen, one whenever there is nothing new."""
    shown: list[bytes] = []
    coming = iter(happenings)

    def pause() -> None:
        happening = next(coming, None)
        if happening is None:
            raise Over
        happening()

    with suppress(Over):
        for text in follow(log, start, pause):
            shown.append(text)  # noqa: PERF402 - it never ends by itself
    return b"".join(shown)


def test_what_is_added_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"old\n")

    def add() -> None:
        with log.open("ab") as file:
            file.write(b"new\n")

    assert collected(log, add, add, start=4) == b"new\nnew\n"


def test_a_file_that_was_cut_short_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"a long past\n")
    assert collected(log, lambda: log.write_bytes(b"anew\n"), start=12) == b"anew\n"


def test_another_file_of_that_name_begins_anew(tmp_path: Path) -> None:
    log, fresh = tmp_path / "log", tmp_path / "fresh"
    log.write_bytes(b"old\n")
    fresh.write_bytes(b"not shorter\n")
    assert collected(log, lambda: fresh.replace(log), start=4) == b"not shorter\n"


def test_a_file_may_come_and_go(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert (
        collected(
            log,
            lambda: log.write_bytes(b"first\n"),
            log.unlink,
            lambda: log.write_bytes(b"second\n"),
        )
        == b"first\nsecond\n"
    )
