"""The book keeps faults, counts occasions, and tells who watches."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ingot.errors import IngotError
from ingot.lab.faults.book import BookUnreadable, Fault, FaultBook
from ingot.lab.faults.fault import BadFault
from ingot.lab.faults.kind import FaultKind


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "faults.json"


@pytest.fixture
def book(path: Path) -> FaultBook:
    return FaultBook(path)


def test_nothing_strikes_where_nothing_is_set_and_nothing_is_written(
    book: FaultBook, path: Path
) -> None:
    assert book.strikes("a", FaultKind.IPMI_LOSS) is None
    assert book.clear("a") == ()
    assert not path.exists()


def test_occasions_of_other_hosts_and_kinds_do_not_count(book: FaultBook) -> None:
    book.set(Fault(host="a", kind=FaultKind.BMC_500, times=1))
    assert book.strikes("b", FaultKind.BMC_500) is None
    assert book.strikes("a", FaultKind.BMC_503) is None
    struck = book.strikes("a", FaultKind.BMC_500)
    assert struck is not None
    assert struck.kind is FaultKind.BMC_500
    assert book.strikes("a", FaultKind.BMC_500) is None


def test_looking_at_a_fault_counts_no_occasion(book: FaultBook) -> None:
    book.set(Fault(host="a", kind=FaultKind.BMC_500))
    book.present("a", FaultKind.BMC_500)
    found = book.present("a", FaultKind.BMC_500)
    assert found is not None
    assert found.seen == 0


def test_a_book_that_is_opened_again_counts_on(book: FaultBook, path: Path) -> None:
    book.set(Fault(host="a", kind=FaultKind.NO_DHCP, times=2, after=1))
    first = [book.strikes("a", FaultKind.NO_DHCP) is not None for _ in range(2)]
    again = FaultBook(path)
    second = [again.strikes("a", FaultKind.NO_DHCP) is not None for _ in range(2)]
    assert first + second == [False, True, True, False]


def test_a_fault_that_still_lasts_is_known_after_the_book_was_opened_again(
    book: FaultBook, path: Path
) -> None:
    book.set(Fault(host="a", kind=FaultKind.NO_DHCP, times=1))
    for lasts in (True, False, False):
        book.strikes("a", FaultKind.NO_DHCP)
        found = FaultBook(path).present("a", FaultKind.NO_DHCP)
        assert found is not None
        assert found.striking is lasts


def test_a_line_that_was_not_written_to_its_end_is_passed_over(book: FaultBook, path: Path) -> None:
    book.set(Fault(host="a", kind=FaultKind.BMC_500))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"host": "a", "ki')
    again = FaultBook(path)
    assert again.faults() == book.faults()
    again.strikes("a", FaultKind.BMC_500)
    assert FaultBook(path).faults() == again.faults()


def test_the_file_of_a_book_does_not_grow_for_ever(
    book: FaultBook, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingot.lab.faults.book.MOST_LINES", 10)
    book.set(Fault(host="a", kind=FaultKind.BMC_500))
    for _ in range(35):
        book.strikes("a", FaultKind.BMC_500)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 10
    assert FaultBook(path).faults() == book.faults()


def test_setting_a_fault_again_forgets_its_counts(book: FaultBook) -> None:
    for _ in range(2):
        book.set(Fault(host="a", kind=FaultKind.BMC_401))
        assert book.strikes("a", FaultKind.BMC_401)
        assert book.strikes("a", FaultKind.BMC_401) is None


def test_clearing_one_leaves_the_others(book: FaultBook) -> None:
    for kind in (FaultKind.BMC_500, FaultKind.NIC_SLOW):
        book.set(Fault(host="a", kind=kind))
    book.set(Fault(host="b", kind=FaultKind.BMC_500))
    assert [gone.kind for gone in book.clear("a", FaultKind.BMC_500)] == [FaultKind.BMC_500]
    assert [(one.host, one.kind) for one in book.faults()] == [
        ("a", FaultKind.NIC_SLOW),
        ("b", FaultKind.BMC_500),
    ]
    book.clear("b")
    assert [one.host for one in book.faults()] == ["a"]


def test_a_fault_that_makes_no_sense_is_not_kept(book: FaultBook, path: Path) -> None:
    with pytest.raises(BadFault):
        book.set(Fault(host="a", kind=FaultKind.NIC_SLOW, amount=0))
    assert book.faults() == ()
    assert not path.exists()


def test_who_watches_is_told_of_changes_and_not_of_occasions(book: FaultBook) -> None:
    told: list[str] = []
    book.watch(told.append)
    book.set(Fault(host="a", kind=FaultKind.BMC_500))
    book.strikes("a", FaultKind.BMC_500)
    book.clear("b")
    book.clear("a")
    assert told == ["a", "a"]


def test_a_fault_that_cannot_take_effect_is_not_set_and_what_was_there_is_restored(
    book: FaultBook, path: Path
) -> None:
    made: list[float | None] = []

    def make_so(host: str) -> None:
        fault = book.present(host, FaultKind.NIC_SLOW)
        if fault is not None and fault.amount == 1:
            raise IngotError("no such queue", remedy="load sch_tbf")
        made.append(fault.amount if fault else None)

    book.watch(make_so)
    with pytest.raises(IngotError, match="no such queue"):
        book.set(Fault(host="a", kind=FaultKind.NIC_SLOW, amount=1))
    assert book.faults() == FaultBook(path).faults() == ()
    book.set(Fault(host="a", kind=FaultKind.NIC_SLOW, amount=2))
    with pytest.raises(IngotError, match="no such queue"):
        book.set(Fault(host="a", kind=FaultKind.NIC_SLOW, amount=1))
    assert [fault.amount for fault in FaultBook(path).faults()] == [2]
    assert made == [None, 2, 2]


def test_all_who_watch_are_told_though_one_fails(book: FaultBook) -> None:
    told: list[str] = []

    def fail(_host: str) -> None:
        raise IngotError("broken")

    book.set(Fault(host="a", kind=FaultKind.BMC_500))
    book.watch(fail)
    book.watch(told.append)
    with pytest.raises(IngotError, match="broken"):
        book.clear("a")
    assert told == ["a"]
    assert book.faults() == ()


def test_threads_share_the_occasions(book: FaultBook) -> None:
    book.set(Fault(host="a", kind=FaultKind.BMC_500, times=40))
    hits: list[object] = []

    def ask() -> None:
        hits.extend(filter(None, (book.strikes("a", FaultKind.BMC_500) for _ in range(25))))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hits) == 40
    assert book.faults()[0].seen == 100


@pytest.mark.parametrize(
    "text", ["\n", "{\n", "1\n", '{"host": "a"}\n', '{"host": "a", "kind": "no-such"}\n', "[]\n"]
)
def test_a_damaged_book_says_what_to_do(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BookUnreadable) as damaged:
        FaultBook(path)
    assert str(path) in damaged.value.what
    assert "remove it" in damaged.value.remedy
