"""What a DataImage says of a host's drive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from ingot.metal3.api.dataimage import AttachedImage, DataImage, DataImageSpec, DataImageStatus
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.host.observation import DataImageSeen
from ingot.metal3.operator.dataimages.seeing import failed, look, settled, succeeded

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
URL, OTHER = "http://images/data.iso", "http://images/other.iso"
IN = AttachedImage(url=URL)


def image(
    status: DataImageStatus | None = None, *, url: str = URL, going: bool = False
) -> DataImage:
    meta = Metadata(name="worker-0", deletion_timestamp=NOW if going else None)
    return DataImage(metadata=meta, spec=DataImageSpec(url=url), status=status or DataImageStatus())


def test_a_host_without_a_data_image_wants_nothing() -> None:
    assert look(None) == DataImageSeen()


def test_a_new_image_is_wanted_and_not_there() -> None:
    assert look(image()) == DataImageSeen(wanted=URL)


def test_an_image_that_was_put_in_is_there() -> None:
    assert look(image(succeeded(URL, now=NOW))) == DataImageSeen(wanted=URL, attached=URL)


def test_an_image_that_is_being_deleted_is_wanted_out() -> None:
    there = DataImageStatus(attached_image=IN)
    assert look(image(there, going=True)) == DataImageSeen(attached=URL)
    assert succeeded(None, now=NOW).attached_image is None


def test_failures_are_counted_in_a_row() -> None:
    once = failed(DataImageStatus(), URL, "no such file", now=NOW)
    twice = failed(once, URL, "no such file", now=NOW)
    assert look(image(twice)).failures == 2
    assert "no such file" in twice.error.message
    assert URL in twice.error.message
    assert look(image(succeeded(URL, now=NOW))).failures == 0


def test_failures_of_another_image_do_not_count() -> None:
    status = failed(DataImageStatus(), URL, "no such file", now=NOW)
    assert look(image(status, url=OTHER)).failures == 0
    assert look(image(status, going=True)).failures == 0
    assert failed(status, OTHER, "either", now=NOW).error.count == 1


def test_a_failure_does_not_change_what_is_known_to_be_in_the_drive() -> None:
    there = DataImageStatus(attached_image=IN)
    assert failed(there, None, "it is stuck", now=NOW).attached_image == IN


def test_the_next_power_cycle_tries_again_and_the_message_stays() -> None:
    status = DataImageStatus()
    for _ in range(3):
        status = failed(status, URL, "no such file", now=NOW)
    calm = settled(status, tries=3)
    assert look(image(calm)).failures == 0
    assert calm.error.message == status.error.message
    fewer = replace(status, error=replace(status.error, count=2))
    assert settled(fewer, tries=3) == fewer
