"""Live access in Redfish, against the lab's real BMCs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.bmc.address import parse
from ingot.bmc.live.access import BmcAccess, Power, connected
from ingot.bmc.live.refusal import (
    BmcUnreachable,
    CertificateUntrusted,
    NoSuchSystem,
    WrongCredentials,
)
from ingot.lab.faults.kind import FaultKind
from ingot.machine.model import Power as MachinePower
from tests.integration.lab.redfish_bench import (
    FIRST,
    PASSWORD,
    USER,
    Bench,
    bench,
    image_server,
)
from tests.ports import free_port


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def access_to(rack: Bench, *, path: str | None = None) -> BmcAccess:
    system = rack.system_path() if path is None else path
    where = rack.url(FIRST, system).replace("https", "redfish-virtualmedia", 1)
    return BmcAccess(
        address=parse(where),
        username=USER,
        password=PASSWORD,
        authorities=rack.authority.certificate.read_text(),
    )


def test_a_server_is_seen_and_switched_off(rack: Bench) -> None:
    rack.driver.power_on(FIRST)
    with connected(access_to(rack)) as bmc:
        assert bmc.power() is Power.ON
        assert bmc.power_off() is True
        assert rack.driver.all[FIRST].power is MachinePower.OFF
        assert bmc.power() is Power.OFF
        assert bmc.power_off() is False


def test_the_only_system_need_not_be_named(rack: Bench) -> None:
    with connected(access_to(rack, path="")) as bmc:
        assert bmc.power() is Power.OFF


def test_media_is_taken_out_once(rack: Bench) -> None:
    with image_server(b"an image") as images:
        rack.system().virtual_media.get_members()[0].insert_media(images.url)
    with connected(access_to(rack)) as bmc:
        assert bmc.eject_media() == ("boot.iso",)
        assert rack.driver.all[FIRST].settings.media is None
        assert bmc.eject_media() == ()


def test_a_certificate_need_not_be_checked(rack: Bench) -> None:
    with connected(replace(access_to(rack), authorities="", verify=False)) as bmc:
        assert bmc.power() is Power.OFF


def test_a_certificate_of_a_stranger_is_told(rack: Bench) -> None:
    with (
        connected(replace(access_to(rack), authorities="")) as bmc,
        pytest.raises(CertificateUntrusted, match="not trusted"),
    ):
        bmc.power()


def test_wrong_credentials_are_told_and_no_password_is(
    rack: Bench, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    wrong = replace(access_to(rack), password="battery-staple")
    with connected(wrong) as bmc, pytest.raises(WrongCredentials) as refused:
        bmc.power()
    assert "bmc.password" in refused.value.remedy
    assert capfd.readouterr() == ("", "")
    assert "battery-staple" not in f"{refused.value}{wrong!r}{caplog.text}"


def test_a_system_that_is_not_there_is_told(rack: Bench) -> None:
    path = "/redfish/v1/Systems/another"
    with connected(access_to(rack, path=path)) as bmc, pytest.raises(NoSuchSystem, match=path):
        bmc.power()


def test_nobody_at_the_address_is_told() -> None:
    nobody = BmcAccess(
        address=parse(f"redfish+http://127.0.0.1:{free_port()}"), username=USER, password=PASSWORD
    )
    with connected(nobody) as bmc, pytest.raises(BmcUnreachable, match="cannot be reached"):
        bmc.power()


def test_a_bmc_that_cannot_now_may_later(rack: Bench) -> None:
    rack.set(FaultKind.BMC_503)
    with connected(access_to(rack)) as bmc, pytest.raises(BmcUnreachable, match="503"):
        bmc.power()
    rack.faults.clear(FIRST)
    with connected(access_to(rack)) as bmc:
        assert bmc.power() is Power.OFF


def test_a_call_ends_within_its_deadline(rack: Bench) -> None:
    rack.set(FaultKind.BMC_SLOW, amount=10)
    began = time.monotonic()
    with pytest.raises(BmcUnreachable), connected(access_to(rack), seconds=1) as bmc:
        bmc.power()
    assert time.monotonic() - began < 8


def test_nobody_is_left_logged_in(rack: Bench) -> None:
    for _ in range(3):
        with connected(access_to(rack)) as bmc:
            bmc.power()
    sessions = rack.ask("GET", "/redfish/v1/SessionService/Sessions").json()
    assert sessions["Members@odata.count"] == 0
