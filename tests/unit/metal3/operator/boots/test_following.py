"""Logs that come, grow, are emptied, are replaced and cannot be read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingot.metal3.operator.boots.bounding import replaced
from ingot.metal3.operator.boots.following import Boots
from ingot.metal3.operator.boots.logfile import LONGEST, LogFile, older
from tests.unit.metal3.operator.boots.test_lines import LOGS

MAC = "52:54:00:b1:00:00"
NOW = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)


def write(path: Path, text: str, mode: str = "a") -> None:
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)


def test_a_log_is_read_as_it_grows(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    assert (log.lines(), log.is_open) == ([], False)
    write(log.path, "one\ntw")
    assert (log.lines(), log.is_open) == (["one"], True)
    write(log.path, "o\nthree\n")
    assert log.lines() == ["two", "three"]
    assert log.lines() == []
    log.close()


def test_a_log_that_is_emptied_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    write(log.path, "a long line\nhalf a li")
    assert log.lines() == ["a long line"]
    write(log.path, "new\n", mode="w")
    assert log.lines() == ["new"]
    log.close()


def test_no_line_is_lost_when_a_log_is_replaced(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    write(log.path, "one\n")
    assert log.lines() == ["one"]
    with log.path.open("a", encoding="utf-8") as writer:
        assert replaced(log.path, limit=3)
        assert log.lines() == []  # it is noticed
        writer.write("two\n")  # its writer has not noticed yet
    write(log.path, "three\n")
    assert log.lines() == ["two", "three"]
    write(log.path, "four\n")
    assert log.lines() == ["four"]
    log.close()


def test_a_log_that_was_removed_is_read_on_until_there_is_a_new_one(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    write(log.path, "one\n")
    with log.path.open("a", encoding="utf-8") as writer:
        assert log.lines() == ["one"]
        log.path.unlink()
        writer.write("two\n")
    assert log.lines() == ["two"]
    write(log.path, "three\n")
    assert [*log.lines(), *log.lines()] == ["three"]
    log.close()


def test_only_the_end_of_a_log_is_read_at_first(tmp_path: Path) -> None:
    write(tmp_path / "log", "".join(f"line {number:03}\n" for number in range(100)))
    log = LogFile(tmp_path / "log", tail=25)
    assert log.lines() == ["line 098", "line 099"]
    log.close()


def test_the_log_before_is_read_first_when_it_was_just_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(older(path), "".join(f"line {number:03}\n" for number in range(100)))
    write(path, "line 100\n")
    log = LogFile(path, tail=35)
    assert log.lines() == ["line 098", "line 099", "line 100"]
    log.close()


def test_what_has_no_end_is_no_line(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    write(log.path, "x" * (LONGEST + 1))
    assert log.lines() == []
    write(log.path, "\n\udcff\n".encode("utf-8", "surrogateescape").decode("latin-1") + "line\n")
    assert log.lines()[-1] == "line"
    log.close()


def test_a_log_is_only_replaced_when_it_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "log"
    assert not replaced(path, limit=3)
    write(path, "abc")
    path.chmod(0o640)
    assert not replaced(path, limit=3)
    write(path, "d")
    assert replaced(path, limit=3)
    assert (path.read_text("utf-8"), older(path).read_text("utf-8")) == ("", "abcd")
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def boots(folder: Path) -> Boots:
    return Boots(dnsmasq=folder / "dnsmasq.log", web=folder / "web.log", clock=lambda: NOW)


def test_a_boot_is_seen_once_both_logs_are_there(tmp_path: Path, ending: ExitStack) -> None:
    async def story() -> None:
        seen = ending.enter_context(closing(boots(tmp_path)))
        assert seen.signs([MAC]) is None
        write(tmp_path / "dnsmasq.log", (LOGS / "dnsmasq.log").read_text("utf-8"))
        await seen.look()
        assert seen.signs([MAC]) is None
        write(tmp_path / "web.log", (LOGS / "web.log").read_text("utf-8"))
        await seen.look()
        signs = seen.signs([MAC])
        assert signs is not None
        assert signs.dhcp
        assert signs.boot_file
        assert signs.kernel

    asyncio.run(story())


def test_a_new_operator_knows_what_was_just_before_it(tmp_path: Path, ending: ExitStack) -> None:
    async def story() -> None:
        for name in ("dnsmasq.log", "web.log"):
            write(tmp_path / name, (LOGS / name).read_text("utf-8"))
        first = ending.enter_context(closing(boots(tmp_path)))
        second = ending.enter_context(closing(boots(tmp_path)))
        await first.look()
        await second.look()
        signs = second.signs([MAC])
        assert signs is not None
        assert signs == first.signs([MAC])
        assert signs.kernel

    asyncio.run(story())


def test_a_log_that_cannot_be_read_is_told_once_and_tried_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, ending: ExitStack
) -> None:
    async def story() -> None:
        caplog.set_level(logging.INFO)
        seen = ending.enter_context(closing(boots(tmp_path)))
        write(tmp_path / "web.log", "")
        (tmp_path / "dnsmasq.log").mkdir()  # unreadable, also for root
        for _ in range(3):
            await seen.look()
        assert seen.signs([MAC]) is None
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "dnsmasq.log" in caplog.text
        (tmp_path / "dnsmasq.log").rmdir()
        write(tmp_path / "dnsmasq.log", "")
        for _ in range(3):
            await seen.look()
        assert seen.signs([MAC]) is not None
        assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]

    asyncio.run(story())


def test_following_ends_when_it_is_cancelled_and_leaves_nothing_open(tmp_path: Path) -> None:
    async def story() -> None:
        for name in ("dnsmasq.log", "web.log"):
            write(tmp_path / name, (LOGS / name).read_text("utf-8"))
        seen = boots(tmp_path)
        following = asyncio.create_task(seen.follow())
        async with asyncio.timeout(10):
            while seen.signs([MAC]) is None:  # noqa: ASYNC110 - what it does is what is tested
                await asyncio.sleep(0)
        following.cancel()
        with pytest.raises(asyncio.CancelledError):
            await following
        assert seen.signs([MAC]) is None

    def held() -> set[str]:
        there = Path("/proc/self/fd")
        return {str(one.readlink()) for one in there.iterdir() if one.exists()}

    asyncio.run(story())
    assert not [name for name in held() if name.startswith(str(tmp_path))]
