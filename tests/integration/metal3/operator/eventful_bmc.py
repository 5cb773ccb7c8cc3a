"""A program: sushy-tools' pretended machine, with an event service, which it lacks.

    python -m tests.integration.metal3.operator.eventful_bmc --fake --interface ADDRESS --port PORT

`GET /subscriptions` shows what was subscribed, headers and all. A subscription to a destination
that has `refuse` in it is refused.
"""

from __future__ import annotations

import json
import sys
import warnings
from http import HTTPStatus
from itertools import count
from typing import Any

import flask

with warnings.catch_warnings():
    # The emulator imports WebOb, and that a module which Python is about to drop.
    warnings.simplefilter("ignore", DeprecationWarning)
    from sushy_tools.emulator import main

SERVICE = "/redfish/v1/EventService"
SUBSCRIPTIONS = f"{SERVICE}/Subscriptions"

app: flask.Flask = main.app
subscriptions: dict[str, dict[str, Any]] = {}
numbers = count(1)


@app.after_request
def with_event_service(answer: flask.Response) -> flask.Response:
    """Name the event service in the root, where clients look for it."""
    if flask.request.path.rstrip("/") == "/redfish/v1" and answer.status_code == HTTPStatus.OK:
        root = json.loads(answer.get_data())
        answer.set_data(json.dumps({**root, "EventService": {"@odata.id": SERVICE}}))
    return answer


@app.get(SERVICE)
def service() -> dict[str, Any]:
    return {
        "@odata.id": SERVICE,
        "Id": "EventService",
        "Name": "Events",
        "ServiceEnabled": True,
        "EventTypesForSubscription": ["Alert"],
        "Subscriptions": {"@odata.id": SUBSCRIPTIONS},
        "Actions": {},
    }


@app.get(SUBSCRIPTIONS)
def listed() -> dict[str, Any]:
    members = [{"@odata.id": f"{SUBSCRIPTIONS}/{one}"} for one in subscriptions]
    return {"@odata.id": SUBSCRIPTIONS, "Name": "Subscriptions", "Members": members}


@app.post(SUBSCRIPTIONS)
def subscribed() -> tuple[dict[str, Any], int, dict[str, str]]:
    wish = flask.request.get_json()
    if "refuse" in wish["Destination"]:
        error = {"error": {"code": "Base.1.0.GeneralError", "message": "it is not reached"}}
        return error, HTTPStatus.BAD_REQUEST, {}
    identifier = str(next(numbers))
    subscriptions[identifier] = wish
    return _shown(identifier), HTTPStatus.CREATED, {"Location": f"{SUBSCRIPTIONS}/{identifier}"}


@app.get(f"{SUBSCRIPTIONS}/<identifier>")
def shown(identifier: str) -> tuple[dict[str, Any], int]:
    if identifier not in subscriptions:
        return {"error": {"code": "Base.1.0.GeneralError", "message": "none"}}, HTTPStatus.NOT_FOUND
    return _shown(identifier), HTTPStatus.OK


@app.delete(f"{SUBSCRIPTIONS}/<identifier>")
def ended(identifier: str) -> tuple[str, int]:
    del subscriptions[identifier]
    return "", HTTPStatus.NO_CONTENT


@app.get("/subscriptions")
def all_of_them() -> dict[str, Any]:
    return subscriptions


def _shown(identifier: str) -> dict[str, Any]:
    kept = dict(subscriptions[identifier])
    kept.pop("HttpHeaders", None)
    place = f"{SUBSCRIPTIONS}/{identifier}"
    return {**kept, "@odata.id": place, "Id": identifier, "Name": f"Subscription {identifier}"}


if __name__ == "__main__":
    sys.exit(main.main())
