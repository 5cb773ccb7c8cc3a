"""The journal of a bootstrap's stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.node.bootstrap.stage import Journal, Stage


def test_what_is_behind_stays_behind_over_a_restart(tmp_path: Path) -> None:
    journal = Journal.read(tmp_path / "state/journal.json")
    journal.began(Stage.NETWORK)
    journal.ended(Stage.NETWORK)
    journal.began(Stage.HOSTS)
    again = Journal.read(tmp_path / "state/journal.json")
    assert again.is_behind(Stage.NETWORK)
    assert not again.is_behind(Stage.HOSTS)
    assert again.told() == journal.told()


def test_the_first_beginning_counts(tmp_path: Path) -> None:
    journal = Journal.read(tmp_path / "journal.json")
    journal.began(Stage.HOSTS)
    before = journal.told()
    journal.began(Stage.HOSTS)
    assert journal.told() == before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"unknown": ["", ""]}', "7"])
def test_a_journal_that_cannot_be_read_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "journal.json").write_text(content, encoding="utf-8")
    assert Journal.read(tmp_path / "journal.json").stages == {}
