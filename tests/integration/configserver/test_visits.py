"""Who asked and who was refused can be read in the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from ingot.configserver.visits import Visits
from tests.e2e.site import eventually
from tests.integration.configserver.office import LOOPBACK, Office, token_of
from tests.integration.kubeapi import KubeApi

CONFIG = "/config/worker"


def visits(api: KubeApi, name: str) -> Visits:
    path = (
        f"/api/v1/namespaces/ingot-infra/configmaps?fieldSelector=metadata.name=node-{name}-config"
    )
    found = api.request("GET", path)["items"]
    assert isinstance(found, list)
    return Visits.parse(name, found[0]) if found else Visits(host=name)


def noted(api: KubeApi, name: str, when: Callable[[Visits], object]) -> Visits:
    """Return what is kept of a host, once it is as wanted."""

    def looked() -> Visits | None:
        seen = visits(api, name)
        return seen if when(seen) else None

    return eventually(looked, within=30, every=0.05)


def test_who_got_a_config_is_noted_with_time_and_address(office: Office, api: KubeApi) -> None:
    office.ask(CONFIG, token_of(office.worker))
    seen = noted(api, office.worker, lambda one: one.granted_at)
    assert seen.granted_to == LOOPBACK
    assert datetime.now(UTC) - datetime.fromisoformat(seen.granted_at) < timedelta(minutes=1)
    assert seen.refusals == 0


def test_a_wrong_token_is_put_down_to_the_host_that_it_is_said_to_be_of(
    office: Office, api: KubeApi
) -> None:
    office.ask(CONFIG, "a-wrong-secret", host=office.worker)
    seen = noted(api, office.worker, lambda one: one.refusals)
    assert (seen.refusals, seen.refused_from) == (1, LOOPBACK)
    assert seen.refused_why == "with a wrong token"
    assert seen.refused_since == seen.refused_at != ""
    assert seen.granted_at == ""
    assert f"{LOOPBACK} asked for {CONFIG}: unknown, as {office.worker}, 403" in office.logged()


def test_a_good_token_for_another_role_is_put_down_to_its_owner(
    office: Office, api: KubeApi
) -> None:
    office.ask(CONFIG, token_of(office.control_plane))
    seen = noted(api, office.control_plane, lambda one: one.refusals)
    assert seen.refused_why == "for another role's config"


def test_nobody_is_noted_who_is_no_host(office: Office, api: KubeApi) -> None:
    office.ask(CONFIG, "wrong", host="nobody")
    office.ask(CONFIG, token_of(office.worker))
    noted(api, office.worker, lambda one: one.granted_at)
    assert visits(api, "nobody") == Visits(host="nobody")


def test_a_config_makes_earlier_refusals_forgotten(office: Office, api: KubeApi) -> None:
    office.ask(CONFIG, "wrong", host=office.worker)
    noted(api, office.worker, lambda one: one.refusals)
    office.ask(CONFIG, token_of(office.worker))
    seen = noted(api, office.worker, lambda one: one.granted_at)
    assert (seen.refusals, seen.refused_since) == (0, "")


def test_refusals_are_all_counted_though_few_are_written(office: Office, api: KubeApi) -> None:
    for _ in range(12):
        office.ask(CONFIG, "wrong", host=office.worker)
    office.ask("/report", token_of(office.worker), method="POST", body=report("off"))
    seen = noted(api, office.worker, lambda one: one.clock)
    assert seen.refusals == 12


def test_what_a_host_says_of_its_clock_stays(office: Office, api: KubeApi) -> None:
    office.ask("/report", token_of(office.worker), method="POST", body=report("24 h behind"))
    office.ask(CONFIG, token_of(office.worker))
    seen = noted(api, office.worker, lambda one: one.granted_at)
    assert seen.clock == "24 h behind"


def test_every_answer_has_the_server_s_time(office: Office) -> None:
    for reply in (office.ask("/healthz"), office.ask(CONFIG)):
        apart = abs(datetime.now(UTC) - parsedate_to_datetime(reply.headers["Date"]))
        assert apart < timedelta(minutes=1)


def report(message: str) -> str:
    return json.dumps({"phase": "clock", "message": message, "failed": False})
