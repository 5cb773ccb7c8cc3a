"""Each fault of the Redfish protocol, as a real client meets it, and that clearing it restores."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import sushy
from sushy import auth
from sushy.exceptions import AccessError, ServerSideError

from ingot.lab.faults.kind import FaultKind
from ingot.machine.model import Power
from tests.integration.lab.redfish_bench import (
    FIRST,
    PASSWORD,
    SECOND,
    USER,
    Bench,
    bench,
    eventually,
    image_server,
)

SYSTEMS = "/redfish/v1/Systems"
SESSIONS = "/redfish/v1/SessionService/Sessions"


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def refuses(rack: Bench, host: str = FIRST) -> bool:
    place = (str(rack.plans[host].bmc.address), rack.bmcs.port(host))
    try:
        socket.create_connection(place, timeout=10).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        return False  # It stood in the queue as the door was closed; the next one is refused.
    return False


def statuses(rack: Bench, count: int) -> list[int]:
    return [rack.ask("GET", SYSTEMS).status_code for _ in range(count)]


def hung(rack: Bench, results: list[object]) -> threading.Thread:
    def ask() -> None:
        try:
            results.append(rack.ask("GET", SYSTEMS, timeout=60).status_code)
        except requests.exceptions.ConnectionError as e:
            results.append(e)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def held(rack: Bench, host: str = FIRST) -> int:
    return rack.bmcs._bmcs[host].holds.count  # noqa: SLF001 - nothing else shows it


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (FaultKind.BMC_500, 500),
        (FaultKind.BMC_502, 502),
        (FaultKind.BMC_503, 503),
        (FaultKind.BMC_504, 504),
    ],
)
def test_a_broken_bmc_answers_with_an_error_to_everything(
    rack: Bench, kind: FaultKind, status: int
) -> None:
    system = rack.system()
    rack.set(kind)
    with pytest.raises(ServerSideError) as caught:
        system.refresh(force=True)
    assert caught.value.status_code == status
    path = rack.system_path() + "/Actions/ComputerSystem.Reset"
    assert rack.ask("POST", path, json={"ResetType": "On"}).status_code == status
    assert rack.driver.all[FIRST].power is Power.OFF
    assert rack.ask("GET", "/redfish/v1/", auth=None).status_code == status
    assert rack.ask("GET", SYSTEMS, host=SECOND).status_code == 200
    rack.faults.clear(FIRST)
    system.refresh(force=True)


def test_an_error_strikes_as_often_as_it_was_set_to(rack: Bench) -> None:
    rack.set(FaultKind.BMC_503, times=2, after=1)
    assert statuses(rack, 5) == [200, 503, 503, 200, 200]


def test_the_same_seed_gives_the_same_errors(rack: Bench) -> None:
    rack.set(FaultKind.BMC_500, rate=0.5, seed=7)
    first = statuses(rack, 20)
    rack.set(FaultKind.BMC_500, rate=0.5, seed=7)
    assert statuses(rack, 20) == first
    assert set(first) == {200, 500}


def test_sushy_gets_over_an_error_that_passes(rack: Bench) -> None:
    root = rack.root(server_side_retries=3)
    rack.set(FaultKind.BMC_502, times=2)
    assert root.get_system(rack.system_path()).uuid == rack.plans[FIRST].uuid


# ---------------------------------------------------------------- credentials


def test_right_credentials_are_refused_once(rack: Bench) -> None:
    rack.set(FaultKind.BMC_401)
    assert rack.ask("GET", "/redfish/v1/", auth=None).status_code == 200
    assert statuses(rack, 2) == [401, 200]


def test_a_refused_session_is_begun_again_by_sushy(rack: Bench) -> None:
    system = rack.system(auth=auth.SessionAuth(USER, PASSWORD))
    rack.set(FaultKind.BMC_401)
    system.refresh(force=True)
    assert rack.ask("GET", SESSIONS).json()["Members@odata.count"] == 2


def test_credentials_refused_by_the_fault_do_not_lock_the_account(rack: Bench) -> None:
    rack.set(FaultKind.BMC_401, times=10)
    assert statuses(rack, 11) == [401] * 10 + [200]


def test_a_refused_log_in_is_an_access_error(rack: Bench) -> None:
    rack.set(FaultKind.BMC_401, times=100)
    with pytest.raises(AccessError):
        rack.root(auth=auth.SessionAuth(USER, PASSWORD))
    rack.faults.clear(FIRST)
    rack.root(auth=auth.SessionAuth(USER, PASSWORD))


def test_no_session_is_left_but_basic_authentication_works(rack: Bench) -> None:
    rack.set(FaultKind.SESSION_LIMIT)
    with pytest.raises(ServerSideError, match="SessionLimitExceeded"):
        rack.root(auth=auth.SessionAuth(USER, PASSWORD))
    assert rack.system().uuid == rack.plans[FIRST].uuid
    rack.faults.clear(FIRST)
    rack.root(auth=auth.SessionAuth(USER, PASSWORD))


# ---------------------------------------------------------------- time


def test_a_slow_bmc_answers_late_and_at_once_when_cleared(rack: Bench) -> None:
    rack.set(FaultKind.BMC_SLOW, amount=3600)
    results: list[object] = []
    waiting = hung(rack, results)
    eventually(lambda: held(rack) == 1)
    assert rack.ask("GET", SYSTEMS, host=SECOND).status_code == 200
    rack.faults.clear(FIRST)
    waiting.join()
    assert results == [200]


def test_a_slow_bmc_answers_after_that_many_seconds(rack: Bench) -> None:
    rack.set(FaultKind.BMC_SLOW, amount=0.3)
    before = time.monotonic()
    assert rack.ask("GET", SYSTEMS).status_code == 200
    assert time.monotonic() - before >= 0.3


def test_a_hanging_bmc_takes_a_request_and_never_answers(rack: Bench) -> None:
    rack.set(FaultKind.BMC_HANGS)
    with pytest.raises(requests.exceptions.ReadTimeout):
        rack.ask("GET", SYSTEMS, timeout=0.3)
    # The client has left, and with it what was kept for it.
    eventually(lambda: held(rack) == 0)


def test_what_hung_is_cut_off_when_the_fault_is_cleared(rack: Bench) -> None:
    rack.set(FaultKind.BMC_HANGS)
    results: list[object] = []
    waiting = [hung(rack, results) for _ in range(3)]
    eventually(lambda: held(rack) == 3)
    rack.set(FaultKind.BMC_500, times=1)
    assert held(rack) == 3
    assert rack.ask("GET", SYSTEMS, host=SECOND).status_code == 200
    rack.faults.clear(FIRST)
    for one in waiting:
        one.join()
    assert [type(one) for one in results] == [requests.exceptions.ConnectionError] * 3
    assert statuses(rack, 1) == [200]


def test_a_request_that_hangs_does_not_keep_a_bmc_from_being_stopped(tmp_path: Path) -> None:
    results: list[object] = []
    with bench(tmp_path) as rack:
        rack.set(FaultKind.BMC_HANGS)
        waiting = hung(rack, results)
        eventually(lambda: held(rack) == 1)
        rack.bmcs.stop()
        waiting.join()
        assert isinstance(results[0], requests.exceptions.ConnectionError)
        assert refuses(rack)


# ---------------------------------------------------------------- connections


def test_connections_are_refused_until_the_fault_is_cleared(rack: Bench) -> None:
    assert not refuses(rack)
    rack.set(FaultKind.BMC_REFUSED)
    eventually(lambda: refuses(rack))
    assert not refuses(rack, SECOND)
    rack.faults.clear(FIRST)
    eventually(lambda: not refuses(rack))
    assert statuses(rack, 1) == [200]


def test_connections_that_are_there_end_when_new_ones_are_refused(rack: Bench) -> None:
    url, trust = rack.url(path=SYSTEMS), str(rack.authority.certificate)
    with requests.Session() as session:
        session.auth = (USER, PASSWORD)
        assert session.get(url, timeout=10, verify=trust).status_code == 200
        rack.set(FaultKind.BMC_REFUSED)
        eventually(lambda: refuses(rack))
        with pytest.raises(requests.exceptions.ConnectionError):
            session.get(url, timeout=10, verify=trust)


def test_refusal_ends_by_itself_after_as_many_seconds_as_it_was_set_for(rack: Bench) -> None:
    rack.set(FaultKind.BMC_REFUSED, times=1)
    eventually(lambda: refuses(rack))
    eventually(lambda: not refuses(rack))
    fault = rack.faults.present(FIRST, FaultKind.BMC_REFUSED)
    assert fault is not None
    assert fault.is_spent


def test_a_refusal_that_was_set_before_the_start_holds_from_the_start(tmp_path: Path) -> None:
    with bench(tmp_path) as rack:
        rack.set(FaultKind.BMC_REFUSED)
        kept = (tmp_path / "faults.json").read_bytes()
    (tmp_path / "faults.json").write_bytes(kept)
    with bench(tmp_path) as rack:
        eventually(lambda: refuses(rack))


# ---------------------------------------------------------------- media


def test_a_download_that_breaks_off_is_an_error_and_the_next_one_is_not(rack: Bench) -> None:
    rack.set(FaultKind.ISO_CUT, times=1)
    with image_server(bytes(100_000)) as images:
        drive = rack.system().virtual_media.get_members()[0]
        with pytest.raises(ServerSideError, match="broke off after 50000 of 100000 bytes"):
            drive.insert_media(images.url)
        drive.refresh(force=True)
        assert drive.inserted is False
        assert [path for path in rack.home.glob("media/**/*") if path.is_file()] == []
        drive.insert_media(images.url)
        drive.refresh(force=True)
        assert drive.inserted is True


def test_media_that_ejects_itself_is_shown_as_gone(rack: Bench) -> None:
    rack.set(FaultKind.MEDIA_EJECTED, amount=0, times=1)
    with image_server(b"image") as images:
        drive = rack.system().virtual_media.get_members()[0]
        drive.insert_media(images.url)
        drive.refresh(force=True)
        assert drive.inserted is False
        drive.insert_media(images.url)
        drive.refresh(force=True)
        assert drive.inserted is True


def test_a_forgotten_boot_override_is_shown_as_disabled(rack: Bench) -> None:
    rack.set(FaultKind.BOOT_OVERRIDE_FORGOTTEN, times=1)
    system = rack.system()
    once = sushy.BootSourceOverrideEnabled.ONCE
    for shown in ("Disabled", "Once"):
        system.set_system_boot_options(target=sushy.BootSource.PXE, enabled=once)
        system.refresh(force=True)
        assert system.boot.enabled.value == shown
