"""Logging in and out: the resources of the session service, which the emulator lacks."""

from __future__ import annotations

from http import HTTPStatus

import flask

from ingot.lab.bmc.redfish.bmc import here
from ingot.lab.bmc.redfish.gate import SESSIONS, log_in
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.bmc.redfish.sessions import Session, SessionsExhausted
from ingot.lab.faults.kind import FaultKind

__all__ = ["session_service"]

session_service = flask.Blueprint("SessionService", __name__, url_prefix="/redfish/v1")


@session_service.get("/SessionService")
def service() -> dict[str, object]:
    """Describe the service."""
    return {
        "@odata.id": "/redfish/v1/SessionService",
        "@odata.type": "#SessionService.v1_1_8.SessionService",
        "Id": "SessionService",
        "Name": "Session Service",
        "ServiceEnabled": True,
        "SessionTimeout": int(here().sessions.idle_seconds),
        "Status": {"State": "Enabled", "Health": "OK"},
        "Sessions": {"@odata.id": SESSIONS},
    }


@session_service.get("/SessionService/Sessions")
def collection() -> dict[str, object]:
    """List who is logged in."""
    members = [{"@odata.id": f"{SESSIONS}/{one.number}"} for one in here().sessions.all()]
    return {
        "@odata.id": SESSIONS,
        "@odata.type": "#SessionCollection.SessionCollection",
        "Name": "Session Collection",
        "Members": members,
        "Members@odata.count": len(members),
    }


@session_service.post("/SessionService/Sessions")
@session_service.post("/SessionService/Sessions/Members")
def begin() -> flask.Response:
    """Log in."""
    asked = flask.request.get_json()
    user, password = (
        (asked.get("UserName"), asked.get("Password")) if isinstance(asked, dict) else (None, None)
    )
    if not isinstance(user, str) or not isinstance(password, str):
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            "UserName and Password are needed",
            message_id="PropertyMissing",
        )
    log_in(here(), user, password)
    if here().struck(FaultKind.SESSION_LIMIT):
        raise _exhausted()
    try:
        session = here().sessions.open(user, flask.request.remote_addr or "")
    except SessionsExhausted as e:
        raise _exhausted() from e
    answer = flask.jsonify(_document(session))
    answer.status_code = HTTPStatus.CREATED
    answer.headers["X-Auth-Token"] = session.token
    answer.headers["Location"] = f"{SESSIONS}/{session.number}"
    return answer


@session_service.get("/SessionService/Sessions/<number>")
def one(number: str) -> dict[str, object]:
    """Describe a session, without its token."""
    return _document(_found(number))


@session_service.delete("/SessionService/Sessions/<number>")
def end(number: str) -> tuple[str, HTTPStatus]:
    """Log out."""
    here().sessions.close(_found(number).number)
    return "", HTTPStatus.NO_CONTENT


def _found(number: str) -> Session:
    session = here().sessions.find(number)
    if session is None:
        raise Refused(
            HTTPStatus.NOT_FOUND,
            f"there is no session {number}",
            message_id="ResourceNotFound",
        )
    return session


def _exhausted() -> Refused:
    return Refused(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "all sessions are taken",
        message_id="SessionLimitExceeded",
    )


def _document(session: Session) -> dict[str, object]:
    return {
        "@odata.id": f"{SESSIONS}/{session.number}",
        "@odata.type": "#Session.v1_5_0.Session",
        "Id": session.number,
        "Name": "User Session",
        "UserName": session.user,
        "ClientOriginIPAddress": session.client,
        "CreatedTime": session.created.isoformat(timespec="seconds"),
    }
