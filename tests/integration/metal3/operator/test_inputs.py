"""What people write wrong, and how a host goes when nothing works any more."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.e2e.site import eventually
from tests.integration.metal3.served import NAMESPACE, Served
from tests.operator_site.cluster import HOSTS, SECRETS
from tests.operator_site.crowd import host_of, name_of, secret_of
from tests.operator_site.following import state_of
from tests.operator_site.site import OperatorSite, metal3_root, operator_site

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

WITHIN = 300.0
COUNT = 12
UNKNOWN_BMC = "redfish-virtualmedia+http://no-such-bmc.invalid/redfish/v1/Systems/1"
FORCE = {"metadata": {"annotations": {"baremetalhost.metal3.io/force-delete": ""}}}

Json = dict[str, Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorSite]:
    folder = tmp_path_factory.mktemp("site")
    with metal3_root(folder) as root, operator_site(folder, root, count=COUNT) as started:
        started.operator(LEADER_ELECTION="false").start()
        yield started


def status_when(site: OperatorSite, number: int, holds: Callable[[Json], bool]) -> Json:
    """Return a host's status once something is true of it."""

    def seen() -> Json | None:
        status: Json = site.hosts.hosts.get(name_of(number), {}).get("status", {})
        return status if status and holds(status) else None

    return eventually(seen, within=WITHIN, every=0.2)


def available(status: Json) -> bool:
    return state_of({"status": status}) == "available" and not status.get("errorType")


def gone(site: OperatorSite, number: int) -> None:
    eventually(lambda: name_of(number) in site.hosts.removed, within=WITHIN, every=0.2)


def write_secret(site: OperatorSite, number: int, **entries: bytes | None) -> None:
    data = {
        name: None if value is None else base64.b64encode(value).decode()
        for name, value in entries.items()
    }
    path = f"{SECRETS}/{name_of(number)}-bmc"
    code, answer = site.cluster.ask("PATCH", path, {"data": data})
    assert code == 200, answer


def refused(site: OperatorSite, body: Json) -> bool:
    """Return whether the API server does not take an object: it says so, or hangs up on us."""
    with closing(Served(site.cluster.api)) as apart:
        try:
            code, _ = apart.ask("POST", HOSTS, body)
        except OSError:  # also in the midst of TLS
            return True
        return code in (413, 422)


@pytest.mark.parametrize(
    ("number", "entries", "said"),
    [
        (0, {"password": None}, "`password` is missing"),
        (1, {"password": b""}, "`password` is empty"),
        (2, {"username": b"\xff\xfe"}, "`username` is no UTF-8 text"),
    ],
)
def test_malformed_secret_is_named_and_its_correction_taken_at_once(
    site: OperatorSite, number: int, entries: dict[str, bytes | None], said: str
) -> None:
    site.cluster.create(secret_of(number))
    write_secret(site, number, **entries)
    site.cluster.create(host_of(number, site.bmcs))
    status = status_when(site, number, lambda seen: bool(seen.get("errorMessage")))
    assert status["errorType"] == "registration error"
    assert said in status["errorMessage"]
    write_secret(site, number, username=b"user", password=b"password")
    assert status_when(site, number, available)["errorCount"] == 0


def test_secret_that_comes_after_its_host_is_found(site: OperatorSite) -> None:
    site.cluster.create(host_of(3, site.bmcs))
    status = status_when(site, 3, lambda seen: bool(seen.get("errorMessage")))
    assert f'"{name_of(3)}-bmc"' in status["errorMessage"]
    site.cluster.create(secret_of(3))
    status_when(site, 3, available)


def test_bmc_whose_name_nobody_knows_is_told_and_its_correction_taken_at_once(
    site: OperatorSite,
) -> None:
    site.cluster.create(secret_of(4))
    body = host_of(4, site.bmcs)
    right = body["spec"]["bmc"]["address"]
    body["spec"]["bmc"]["address"] = UNKNOWN_BMC
    site.cluster.create(body)
    status = status_when(site, 4, lambda seen: bool(seen.get("errorMessage")))
    assert status["errorType"] == "registration error"
    assert "no-such-bmc.invalid" in status["errorMessage"]
    site.cluster.patch_host(name_of(4), {"spec": {"bmc": {"address": right}}})
    status_when(site, 4, available)


def test_host_with_a_bmc_that_nobody_knows_can_be_deleted(site: OperatorSite) -> None:
    site.cluster.create(secret_of(5))
    body = host_of(5, site.bmcs)
    body["spec"]["bmc"]["address"] = UNKNOWN_BMC
    site.cluster.create(body)
    status_when(site, 5, lambda seen: bool(seen.get("errorMessage")))
    site.cluster.delete_host(name_of(5))
    gone(site, 5)


def test_annotation_of_ten_megabytes_is_refused_and_hurts_nobody(site: OperatorSite) -> None:
    body = host_of(6, site.bmcs)
    body["metadata"]["annotations"] = {"note": "x" * 10_000_000}
    assert refused(site, body)
    body["metadata"]["annotations"] = {"note": "x" * 250_000}
    site.cluster.create(secret_of(6))
    site.cluster.create(body)
    status_when(site, 6, available)


def test_host_whose_credentials_are_lost_can_be_deleted(site: OperatorSite) -> None:
    site.add_hosts([7])
    status_when(site, 7, available)
    write_secret(site, 7, username=None, password=None)
    status_when(site, 7, lambda seen: bool(seen.get("errorMessage")))
    site.cluster.delete_host(name_of(7))
    gone(site, 7)


def test_server_that_runs_already_is_taken_over_untouched(site: OperatorSite) -> None:
    site.cluster.create(secret_of(8))
    body = host_of(8, site.bmcs)
    body["spec"]["externallyProvisioned"] = True
    site.cluster.create(body)
    status_when(site, 8, lambda seen: seen["provisioning"]["state"] == "externally provisioned")
    site.hosts.wait(
        lambda host: bool(host.get("status", {}).get("provisioning", {}).get("ID")),
        count=1,
        within=WITHIN,
    )
    assert not site.bmcs.actions()[8]


def test_last_resort_needs_no_ironic_and_says_what_it_leaves_behind(site: OperatorSite) -> None:
    site.add_hosts([9])
    status_when(site, 9, available)
    site.ironic.stop()
    try:
        site.cluster.patch_host(name_of(9), FORCE)
        site.cluster.delete_host(name_of(9))
        gone(site, 9)
    finally:
        site.ironic.start()
    _, found = site.cluster.ask("GET", f"/api/v1/namespaces/{NAMESPACE}/events?limit=500")
    told = {
        one["reason"]: one["message"]
        for one in found["items"]
        if one["involvedObject"]["name"] == name_of(9)
    }
    assert "ForceDeleted" in told, told
