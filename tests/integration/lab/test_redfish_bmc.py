"""Redfish BMCs as real clients see them: who may ask, side by side, and the server itself."""

from __future__ import annotations

import http.client
import logging
import os
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from sushy import auth
from sushy.exceptions import AccessError, ResourceNotFoundError
from sushy.resources.manager.virtual_media import VirtualMedia

from ingot.lab.bmc.redfish.bmcs import RedfishBmcs
from ingot.lab.bmc.redfish.listening import CannotListen
from ingot.machine.model import Power
from tests.integration.lab.redfish_bench import (
    FIRST,
    PASSWORD,
    SECOND,
    USER,
    Bench,
    ImageServer,
    RequestOptions,
    bench,
    eventually,
    image_server,
)

SESSIONS = "/redfish/v1/SessionService/Sessions"

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


# ---------------------------------------------------------------- who may ask


@pytest.mark.parametrize("path", ["/redfish", "/redfish/", "/redfish/v1", "/redfish/v1/"])
def test_the_service_root_can_be_read_without_credentials(rack: Bench, path: str) -> None:
    assert rack.ask("GET", path, auth=None).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/redfish/v1/Systems"),
        ("GET", "//redfish/v1/Systems"),
        ("GET", "/redfish/v1/../v1/Systems"),
        ("GET", "/redfish/v1/Registries"),
        ("GET", SESSIONS),
        ("POST", "/redfish/v1/"),
        ("DELETE", f"{SESSIONS}/1"),
        ("GET", "/"),
        ("GET", "/static/none"),
    ],
)
def test_nothing_else_can(rack: Bench, method: str, path: str) -> None:
    answer = rack.ask(method, path, auth=None)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Basic")
    assert answer.json()["error"]["@Message.ExtendedInfo"][0]["Message"]


@pytest.mark.parametrize(
    "credentials",
    [(USER, "wrong"), ("root", PASSWORD), (USER, ""), ("", ""), (USER, "ünïcode")],
    ids=["password", "user", "no-password", "nothing", "not-ascii"],
)
def test_wrong_credentials_are_refused(rack: Bench, credentials: tuple[str, str]) -> None:
    user, password = credentials
    basic = (user.encode(), password.encode())
    assert rack.ask("GET", "/redfish/v1/Systems", auth=basic).status_code == 401
    body = {"UserName": user, "Password": password}
    assert rack.ask("POST", SESSIONS, auth=None, json=body).status_code == 401


@pytest.mark.parametrize("header", ["Basic", "Basic !", "Bearer abc", "Basic gICA"])
def test_a_broken_authorization_header_is_refused(rack: Bench, header: str) -> None:
    answer = rack.ask("GET", "/redfish/v1/Systems", auth=None, headers={"Authorization": header})
    assert answer.status_code == 401


def test_five_wrong_log_ins_lock_the_account_for_right_ones_too(rack: Bench) -> None:
    for _ in range(5):
        answer = rack.ask("GET", "/redfish/v1/Systems", auth=(USER, "wrong"))
        assert "locked" not in answer.text
    locked = rack.ask("GET", "/redfish/v1/Systems")
    assert locked.status_code == 401
    assert "locked for" in locked.json()["error"]["message"]
    assert rack.ask("GET", "/redfish/v1/Systems", host=SECOND).status_code == 200
    with pytest.raises(AccessError, match="locked for"):
        rack.system(auth=auth.SessionAuth(USER, PASSWORD))


def test_a_session_outlives_a_lock_of_its_account(rack: Bench) -> None:
    system = rack.system(auth=auth.SessionAuth(USER, PASSWORD))
    for _ in range(5):
        rack.ask("GET", "/redfish/v1/Systems", auth=(USER, "wrong"))
    system.refresh(force=True)
    assert system.uuid == rack.plans[FIRST].uuid


def test_a_right_log_in_in_between_starts_the_count_over(rack: Bench) -> None:
    for password in ["wrong"] * 4 + [PASSWORD] + ["wrong"] * 4:
        rack.ask("GET", "/redfish/v1/Systems", auth=(USER, password))
    assert rack.ask("GET", "/redfish/v1/Systems").status_code == 200


# ---------------------------------------------------------------- sessions


def test_sushy_logs_in_by_a_session_and_out_again(rack: Bench) -> None:
    root = rack.root()
    service = root.get_session_service()
    assert service.session_timeout == 1800
    (session,) = service.sessions.get_members()
    assert session.username == USER
    root._auth.close()  # noqa: SLF001 - as a client does that is collected
    assert rack.ask("GET", SESSIONS).json()["Members"] == []


def test_a_session_has_a_token_and_a_place(rack: Bench) -> None:
    body = {"UserName": USER, "Password": PASSWORD}
    made = rack.ask("POST", SESSIONS, auth=None, json=body)
    token, place = made.headers["X-Auth-Token"], made.headers["Location"]
    assert made.status_code == 201
    assert made.json()["@odata.id"] == place
    mine: RequestOptions = {"auth": None, "headers": {"X-Auth-Token": token}}
    shown = rack.ask("GET", place, **mine)
    assert shown.json()["UserName"] == USER
    assert token not in shown.text
    assert rack.ask("DELETE", place, **mine).status_code == 204
    assert rack.ask("GET", "/redfish/v1/Systems", **mine).status_code == 401
    assert rack.ask("GET", place).status_code == 404


def test_a_session_of_one_bmc_is_none_at_another(rack: Bench) -> None:
    body = {"UserName": USER, "Password": PASSWORD}
    token = rack.ask("POST", SESSIONS, auth=None, json=body).headers["X-Auth-Token"]
    answer = rack.ask(
        "GET", "/redfish/v1/Systems", host=SECOND, auth=None, headers={"X-Auth-Token": token}
    )
    assert answer.status_code == 401


def test_sessions_run_out_and_sushy_goes_on_with_basic_authentication(rack: Bench) -> None:
    body = {"UserName": USER, "Password": PASSWORD}
    answers = [rack.ask("POST", SESSIONS, auth=None, json=body) for _ in range(17)]
    assert [answer.status_code for answer in answers] == [201] * 16 + [503]
    assert answers[-1].json()["error"]["code"].endswith("SessionLimitExceeded")
    assert rack.system().uuid == rack.plans[FIRST].uuid


@pytest.mark.parametrize("body", [{}, [], {"UserName": USER}, {"UserName": 1, "Password": 2}])
def test_a_log_in_without_both_words_is_a_bad_request(rack: Bench, body: object) -> None:
    assert rack.ask("POST", SESSIONS, auth=None, json=body).status_code == 400


def test_the_access_log_has_a_line_for_each_request_and_no_secret(
    rack: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        body = {"UserName": USER, "Password": PASSWORD}
        token = rack.ask("POST", SESSIONS, auth=None, json=body).headers["X-Auth-Token"]
        rack.ask("GET", f"/redfish/v1/Systems?x={PASSWORD}", headers={"X-Auth-Token": token})
        rack.ask("GET", "/redfish/v1/%0Anew-line")
    lines = [one.getMessage() for one in caplog.records if one.name == "ingot.lab.bmc.redfish"]
    assert [line.rsplit(" ", 2)[0] for line in lines] == [
        f"{FIRST} 127.0.0.1 POST {SESSIONS} 201",
        f"{FIRST} 127.0.0.1 GET /redfish/v1/Systems 200",
        f"{FIRST} 127.0.0.1 GET /redfish/v1/%0Anew-line 404",
    ]
    ours = [one for one in caplog.records if not one.name.startswith(("sushy.", "urllib3"))]
    assert not any(PASSWORD in one.getMessage() or token in one.getMessage() for one in ours)


# ---------------------------------------------------------------- side by side


def test_each_bmc_shows_only_its_own_system(rack: Bench) -> None:
    for own, other in ((FIRST, SECOND), (SECOND, FIRST)):
        (member,) = rack.ask("GET", "/redfish/v1/Systems", host=own).json()["Members"]
        assert member["@odata.id"] == rack.system_path(own)
        uuid = rack.plans[other].uuid
        for path in (
            f"/redfish/v1/Systems/{uuid}",
            f"/redfish/v1/Systems/{uuid}/BIOS",
            f"/redfish/v1/Systems/{uuid}/SecureBoot",
            f"/redfish/v1/Systems/{uuid}/Storage",
            f"/redfish/v1/Systems/{uuid}/EthernetInterfaces",
            f"/redfish/v1/Systems/{uuid}/Processors",
            f"/redfish/v1/Systems/{uuid}/VirtualMedia",
            f"/redfish/v1/Systems/{uuid}/VirtualMedia/Cd",
            f"/redfish/v1/Managers/{uuid}",
            f"/redfish/v1/Managers/{uuid}/EthernetInterfaces",
        ):
            assert rack.ask("GET", path, host=own).status_code == 404, path
        reset = f"/redfish/v1/Systems/{uuid}/Actions/ComputerSystem.Reset"
        assert rack.ask("POST", reset, host=own, json={"ResetType": "On"}).status_code == 404
    assert {machine.power for machine in rack.driver.all.values()} == {Power.OFF}


def test_requests_to_two_bmcs_at_once_do_not_mix(rack: Bench) -> None:
    wrong: list[str] = []

    def ask(host: str) -> None:
        for _ in range(20):
            name = rack.ask("GET", rack.system_path(host), host=host).json().get("Name")
            if name != host:
                wrong.append(str(name))

    threads = [threading.Thread(target=ask, args=(host,)) for host in (FIRST, SECOND) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# ---------------------------------------------------------------- the server


def trusting(rack: Bench) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(rack.authority.certificate))


def test_a_client_that_says_nothing_holds_up_nobody(rack: Bench) -> None:
    place = (str(rack.plans[FIRST].bmc.address), rack.bmcs.port(FIRST))
    silent = [socket.create_connection(place) for _ in range(5)]
    handshaken = trusting(rack).wrap_socket(
        socket.create_connection(place), server_hostname=place[0]
    )
    try:
        assert rack.ask("GET", "/redfish/v1/Systems").status_code == 200
    finally:
        for one in (*silent, handshaken):
            one.close()


# Python 3.11 drops a socket unclosed whose client leaves while it is wrapped for TLS.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_client_that_leaves_at_once_holds_up_nobody(rack: Bench) -> None:
    place = (str(rack.plans[FIRST].bmc.address), rack.bmcs.port(FIRST))
    for _ in range(20):
        with socket.create_connection(place) as leaving:
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert rack.ask("GET", "/redfish/v1/Systems").status_code == 200


def test_a_connection_is_kept_for_the_next_request(rack: Bench) -> None:
    place = (str(rack.plans[FIRST].bmc.address), rack.bmcs.port(FIRST))
    connection = http.client.HTTPSConnection(*place, context=trusting(rack), timeout=10)
    seen = set()
    for method, path in (("GET", "/redfish/v1/"), ("HEAD", "/redfish/v1/"), ("POST", SESSIONS)):
        connection.request(method, path, body=b"{}" if method == "POST" else None)
        answer = connection.getresponse()
        answer.read()
        assert answer.version == 11
        seen.add(connection.sock and connection.sock.getsockname())
    connection.close()
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("Content-Length: 9999999", 413),
        ("Content-Length: -1", 400),
        ("Content-Length: x", 400),
        ("Transfer-Encoding: chunked", 411),
    ],
)
def test_a_body_that_cannot_be_read_ends_the_connection(
    rack: Bench, head: str, status: int
) -> None:
    place = (str(rack.plans[FIRST].bmc.address), rack.bmcs.port(FIRST))
    with (
        socket.create_connection(place, timeout=10) as plain,
        trusting(rack).wrap_socket(plain, server_hostname=place[0]) as connection,
    ):
        connection.sendall(f"POST {SESSIONS} HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
        answer = b""
        while block := connection.recv(4096):
            answer += block
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"Connection: close" in answer


def test_the_certificate_is_good_for_the_address_and_from_the_labs_own_ca(rack: Bench) -> None:
    assert rack.ask("GET", "/redfish/v1/", auth=None).status_code == 200
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(rack.url(path="/redfish/v1/"), timeout=10)


def test_an_address_that_is_taken_is_an_error_that_names_it(rack: Bench) -> None:
    port = rack.bmcs.port(FIRST)
    second = RedfishBmcs(
        tuple(rack.chassis.values()),
        faults=rack.faults,
        home=rack.home,
        authority=rack.authority,
        port=port,
    )
    with pytest.raises(CannotListen, match=f"{FIRST} cannot listen on 127.0.0.2:{port}"):
        second.start()


def test_what_a_bmc_knows_outlives_its_process(tmp_path: Path) -> None:
    with image_server(IMAGE) as images:
        with bench(tmp_path) as rack:
            rack.system().bios.set_attribute("AssetTag", "kept")
            cd(rack).insert_media(images.url)
            media = rack.driver.all[FIRST].settings.media
            assert media is not None
            stray = media.with_name("stray.iso.part")
            stray.touch()
        with bench(tmp_path) as rack:
            rack.driver.all[FIRST].settings = rack.driver.all[FIRST].settings.__class__(media=media)
            assert rack.system().bios.pending_attributes == {"AssetTag": "kept"}
            assert (cd(rack).inserted, cd(rack).image) == (True, images.url)
            assert not stray.exists()


def test_stopping_breaks_off_a_download(tmp_path: Path, images: ImageServer) -> None:
    images.slowly = threading.Event()
    with bench(tmp_path) as rack:
        path = rack.system_path() + "/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia"
        headers = {"Prefer": "respond-async"}
        rack.ask("POST", path, json={"Image": images.url}, headers=headers)
        eventually(lambda: bool(images.asked))
    images.slowly.set()
    eventually(lambda: [one for one in tmp_path.glob("media/**/*") if one.is_file()] == [])


def test_an_unknown_path_is_not_found_by_sushy_either(rack: Bench) -> None:
    with pytest.raises(ResourceNotFoundError):
        rack.root().get_system("/redfish/v1/Systems/none")
