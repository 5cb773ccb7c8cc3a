"""What a command can ask of a lab's daemon."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, JsonValue, ValidationError

from ingot.errors import ExitCode, IngotError
from ingot.lab.chassis import PowerAction
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.messages import (
    FAULTS,
    Answer,
    ClearFaults,
    Failure,
    GetFaults,
    GetStatus,
    Ping,
    PowerHost,
    SetFault,
    ShutDown,
)
from ingot.lab.status import LabStatus

__all__ = ["Control", "DaemonGone", "Refused", "socket_address"]

PATIENCE_SECONDS = 60.0
"""How long the daemon may take. What it does to power returns at once, but a shutdown waits."""


class DaemonGone(IngotError):  # noqa: N818 - it says what was seen
    """The lab's daemon does not answer."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, what: str) -> None:
        super().__init__(what, remedy="run `ingot lab start`: it finds the hosts as they are")


class Refused(IngotError):  # noqa: N818 - it says what happened
    """The lab's daemon has a reason not to do it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.what, remedy=failure.remedy)
        self.exit_code = failure.exit_code


class Control:
    """The way to a lab's daemon; every call is a connection of its own."""

    def __init__(self, path: Path, *, patience: float = PATIENCE_SECONDS) -> None:
        self._path = path
        self._patience = patience

    def is_answering(self) -> bool:
        """Tell whether the daemon is there."""
        try:
            self._ask(Ping())
        except DaemonGone:
            return False
        return True

    def status(self) -> LabStatus:
        """Return how the lab is doing."""
        return LabStatus.model_validate(self._ask(GetStatus()))

    def power(self, host: str, action: PowerAction) -> None:
        """Begin a power action, as the host's BMC would."""
        self._ask(PowerHost(host=host, action=action))

    def set_fault(self, fault: Fault) -> None:
        """Set a fault."""
        self._ask(SetFault(fault=fault))

    def clear_faults(
        self, host: str | None = None, kind: FaultKind | None = None
    ) -> tuple[Fault, ...]:
        """Clear faults, of one host or all, of one kind or all; return what was cleared."""
        return FAULTS.validate_python(self._ask(ClearFaults(host=host, kind=kind)))

    def faults(self, host: str | None = None) -> tuple[Fault, ...]:
        """Return which faults are set."""
        return FAULTS.validate_python(self._ask(GetFaults(host=host)))

    def shut_down(self) -> None:
        """Pull every plug and remember which hosts were on; the daemon itself stays."""
        self._ask(ShutDown())

    def _ask(self, request: BaseModel) -> JsonValue:
        try:
            with self._connected() as connection:
                connection.sendall(request.model_dump_json().encode() + b"\n")
                with connection.makefile("rb") as answers:
                    line = answers.readline()
        except TimeoutError as late:
            raise DaemonGone(
                f"the lab's daemon has not answered within {self._patience:g} seconds"
            ) from late
        except OSError as gone:
            raise DaemonGone("the lab's daemon is not running") from gone
        try:
            answer = Answer.model_validate_json(line)
        except ValidationError as broken:
            raise DaemonGone("the lab's daemon ended before it had answered") from broken
        if answer.error is not None:
            raise Refused(answer.error)
        return answer.result

    @contextmanager
    def _connected(self) -> Iterator[socket.socket]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(self._patience)
            with socket_address(self._path) as address:
                connection.connect(address)
            yield connection


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Return a name for a socket that is short enough, however deep its folder lies."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
