"""What the daemon does when it is asked."""

from __future__ import annotations

import logging

from pydantic import JsonValue, ValidationError

from ingot.errors import ExitCode, IngotError
from ingot.lab.daemon.hosts import Hosts
from ingot.lab.messages import (
    FAULTS,
    REQUEST,
    Answer,
    ClearFaults,
    Failure,
    GetFaults,
    GetStatus,
    Ping,
    PowerHost,
    Request,
    SetFault,
    ShutDown,
)
from ingot.lab.poweredhosts import PoweredHosts

__all__ = ["Answering", "BadRequest"]

_LOG = logging.getLogger(__name__)


class BadRequest(IngotError):  # noqa: N818 - it says what was seen
    """A request makes no sense."""

    exit_code = ExitCode.USAGE


class Answering:
    """Answers requests; callable from any thread."""

    def __init__(self, hosts: Hosts, powered: PoweredHosts) -> None:
        self._hosts = hosts
        self._powered = powered

    def answer(self, line: bytes) -> bytes:
        """Return the line that answers a line; whatever goes wrong is part of the answer."""
        try:
            answer = Answer(result=self._do(_read(line)))
        except IngotError as expected:
            failure = Failure(
                what=expected.what, remedy=expected.remedy, exit_code=expected.exit_code
            )
            answer = Answer(error=failure)
        except Exception as unforeseen:  # noqa: BLE001 - one request fails, not the daemon
            _LOG.exception("a request failed: %r", line[:200])
            what = f"the lab's daemon failed with an unforeseen {type(unforeseen).__name__}"
            answer = Answer(error=Failure(what=what, remedy="see daemon.log in the lab's folder"))
        return answer.model_dump_json().encode() + b"\n"

    def _do(self, request: Request) -> JsonValue:
        match request:
            case Ping():
                return None
            case GetStatus():
                status: JsonValue = self._hosts.status().model_dump(mode="json")
                return status
            case PowerHost(host=host, action=action):
                self._hosts.host(host).act(action)
                return None
            case ShutDown():
                return self._shut_down()
            case _:
                return self._do_to_faults(request)

    def _do_to_faults(self, request: SetFault | ClearFaults | GetFaults) -> JsonValue:
        book = self._hosts.faults
        match request:
            case SetFault(fault=fault):
                self._hosts.host(fault.host)
                book.set(fault)
                return None
            case GetFaults(host=None):
                found = book.faults()
            case GetFaults(host=str(host)):
                self._hosts.host(host)
                found = book.faults(host)
            case ClearFaults(host=None, kind=kind):
                found = tuple(
                    fault for host in self._hosts.chassis for fault in book.clear(host, kind)
                )
            case ClearFaults(host=str(host), kind=kind):
                self._hosts.host(host)
                found = book.clear(host, kind)
        answer: JsonValue = FAULTS.dump_python(found, mode="json")
        return answer

    def _shut_down(self) -> JsonValue:
        on = self._hosts.powered()
        self._powered.remember(on)
        self._hosts.pull_every_plug()
        return list(on)


def _read(line: bytes) -> Request:
    try:
        return REQUEST.validate_json(line)
    except ValidationError as bad:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'request'}: {problem['msg']}"
            for problem in bad.errors(include_url=False, include_input=False)
        )
        raise BadRequest(
            f"the lab's daemon does not understand a request: {problems}",
            remedy="if Ingot was updated since the lab was started, run `ingot lab stop` and "
            "`ingot lab start`",
        ) from bad
