"""Virtual media over Redfish: images that a BMC fetches by itself."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sushy
from sushy.exceptions import BadRequestError, ServerSideError
from sushy.resources.manager.virtual_media import VirtualMedia
from sushy.taskmonitor import TaskMonitor

from tests.integration.lab.redfish_bench import (
    FIRST,
    Bench,
    ImageServer,
    bench,
    eventually,
    image_server,
)

IMAGE = os.urandom(1_500_000)


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


@pytest.fixture
def images() -> Iterator[ImageServer]:
    with image_server(IMAGE) as server:
        yield server


def cd(rack: Bench) -> VirtualMedia:
    return rack.system().virtual_media.get_members()[0]


# ---------------------------------------------------------------- virtual media


def test_media_is_fetched_by_the_bmc_and_taken_out_again(rack: Bench, images: ImageServer) -> None:
    drive = cd(rack)
    assert (drive.inserted, drive.media_types) == (
        False,
        [sushy.VIRTUAL_MEDIA_CD, sushy.VIRTUAL_MEDIA_DVD],
    )
    drive.insert_media(images.url)
    drive.refresh(force=True)
    assert (drive.inserted, drive.image, drive.image_name) == (True, images.url, "boot.iso")
    assert drive.write_protected is True
    file = rack.driver.all[FIRST].settings.media
    assert file is not None
    assert file.read_bytes() == IMAGE
    assert file.is_relative_to(rack.home / "media")
    drive.eject_media()
    drive.refresh(force=True)
    assert (drive.inserted, drive.image) == (False, "")
    assert rack.driver.all[FIRST].settings.media is None
    assert not file.exists()


def test_media_is_seen_through_the_manager_too(rack: Bench, images: ImageServer) -> None:
    cd(rack).insert_media(images.url)
    manager = rack.system().managers[0]
    assert manager.virtual_media.get_members()[0].inserted is True


def test_new_media_takes_the_place_of_old(rack: Bench, images: ImageServer) -> None:
    drive = cd(rack)
    drive.insert_media(images.url)
    images.content = b"another"
    drive.insert_media(images.url)
    (file,) = (rack.home / "media" / FIRST).iterdir()
    assert file.read_bytes() == b"another"
    assert rack.driver.all[FIRST].settings.media == file


def test_media_need_not_be_attached_nor_write_protected(rack: Bench, images: ImageServer) -> None:
    drive = cd(rack)
    drive.insert_media(images.url, inserted=False, write_protected=False)
    drive.refresh(force=True)
    assert (drive.inserted, drive.image, drive.write_protected) == (False, images.url, False)
    assert rack.driver.all[FIRST].settings.media is None


def test_taking_out_what_is_not_there_is_no_error(rack: Bench) -> None:
    cd(rack).eject_media()


def test_media_is_fetched_with_credentials_that_are_never_shown(
    rack: Bench, images: ImageServer
) -> None:
    images.password = "read me"
    drive = cd(rack)
    with pytest.raises(BadRequestError, match="answered 401"):
        drive.insert_media(images.url)
    drive.insert_media(images.url, username="reader", password="read me")
    drive.refresh(force=True)
    assert drive.user_name == "reader"
    drive.insert_media(images.url.replace("//", "//reader:read%20me@"))
    drive.refresh(force=True)
    assert drive.image == images.url
    everything = "".join(path.read_text() for path in (rack.home / "bmc").glob("*.json"))
    assert "read me" not in everything + json.dumps(drive.json)


def test_media_from_https_is_taken_from_anyone_unless_asked_to_verify(rack: Bench) -> None:
    with image_server(IMAGE, authority=rack.authority) as images:
        drive = cd(rack)
        drive.insert_media(images.url)
        drive.set_verify_certificate(True)
        with pytest.raises(ServerSideError, match="CERTIFICATE_VERIFY_FAILED"):
            drive.insert_media(images.url)
        assert cd(rack).inserted is True
        drive.certificates.create_member(rack.authority.certificate.read_text(), "PEM")
        drive.insert_media(images.url)
        (kept,) = drive.certificates.get_members()
        kept.delete()
        assert cd(rack).certificates.get_members() == []


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("ftp://127.0.0.1/boot.iso", BadRequestError),
        ("file:///etc/passwd", BadRequestError),
        ("http://[::1/boot.iso", BadRequestError),
        ("http://127.0.0.1:1/boot.iso", ServerSideError),
        ("", BadRequestError),
    ],
)
def test_media_that_cannot_be_had_is_an_error_and_leaves_nothing(
    rack: Bench, url: str, error: type[Exception]
) -> None:
    drive = cd(rack)
    with pytest.raises(error):
        drive.insert_media(url)
    drive.refresh(force=True)
    assert drive.inserted is False
    assert [path for path in rack.home.glob("media/**/*") if path.is_file()] == []


@pytest.mark.parametrize(("status", "error"), [(404, BadRequestError), (500, ServerSideError)])
def test_an_error_of_the_image_server_is_passed_on(
    rack: Bench, images: ImageServer, status: int, error: type[Exception]
) -> None:
    images.status = status
    with pytest.raises(error, match=f"answered {status}"):
        cd(rack).insert_media(images.url)


def test_a_download_that_ends_early_is_an_error(rack: Bench, images: ImageServer) -> None:
    images.promised = len(IMAGE) + 1
    with pytest.raises(ServerSideError, match="could not be fetched"):
        cd(rack).insert_media(images.url)
    assert [path for path in rack.home.glob("media/**/*") if path.is_file()] == []


def test_an_image_larger_than_the_disk_is_refused_at_once(rack: Bench, images: ImageServer) -> None:
    images.promised = 1 << 60
    with pytest.raises(ServerSideError, match="No space left"):
        cd(rack).insert_media(images.url)


@pytest.mark.parametrize(
    "body",
    [{}, {"Image": 1}, {"Image": "http://x", "Inserted": 1}, {"Image": "x", "UserName": "y"}],
)
def test_an_insertion_that_makes_no_sense_is_a_bad_request(
    rack: Bench, body: dict[str, object]
) -> None:
    path = rack.system_path() + "/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia"
    assert rack.ask("POST", path, json=body).status_code == 400


def test_a_drive_does_one_thing_at_a_time(rack: Bench, images: ImageServer) -> None:
    images.slowly = threading.Event()
    path = rack.system_path() + "/VirtualMedia/Cd/Actions/VirtualMedia."
    first = threading.Thread(
        target=rack.ask, args=("POST", path + "InsertMedia"), kwargs={"json": {"Image": images.url}}
    )
    first.start()
    eventually(lambda: bool(images.asked))
    for action in ("InsertMedia", "EjectMedia"):
        answer = rack.ask("POST", path + action, json={"Image": images.url})
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "3")
    images.slowly.set()
    first.join()
    assert cd(rack).inserted is True


def test_a_client_that_asks_for_it_gets_a_task(rack: Bench, images: ImageServer) -> None:
    images.slowly = threading.Event()
    root = rack.root()
    path = rack.system_path() + "/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia"
    answer = root._conn.post(  # noqa: SLF001 - its own methods do not ask for a task
        path, data={"Image": images.url}, headers={"Prefer": "respond-async"}
    )
    assert answer.status_code == 202
    monitor = TaskMonitor.from_response(root._conn, answer, path)  # noqa: SLF001
    (member,) = rack.ask("GET", "/redfish/v1/TaskService/Tasks").json()["Members"]
    task = member["@odata.id"]
    eventually(lambda: rack.ask("GET", task).json()["PercentComplete"] > 0)
    assert monitor.check_is_processing
    assert monitor.task.task_state is sushy.TASK_STATE_RUNNING
    assert rack.ask("GET", task).json()["TaskState"] == "Running"
    assert rack.ask("GET", "/redfish/v1/TaskService").status_code == 200
    images.slowly.set()
    eventually(lambda: rack.ask("GET", task).json()["TaskState"] == "Completed")
    assert not monitor.check_is_processing
    assert cd(rack).inserted is True


def test_a_task_that_fails_says_why(rack: Bench, images: ImageServer) -> None:
    images.status = 404
    path = rack.system_path() + "/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia"
    headers = {"Prefer": "respond-async"}
    answer = rack.ask("POST", path, json={"Image": images.url}, headers=headers)
    task = "/redfish/v1/TaskService/Tasks/T1"
    eventually(lambda: rack.ask("GET", task).json()["TaskState"] == "Exception")
    assert "answered 404" in rack.ask("GET", task).json()["Messages"][0]["Message"]
    assert rack.ask("GET", answer.headers["Location"]).status_code == 400
    assert rack.ask("GET", "/redfish/v1/TaskService/Tasks/T99").status_code == 404
