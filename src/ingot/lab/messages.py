"""What commands and the lab's daemon say to each other: one line of JSON each way.

A request has what to `do`, an answer a `result` or an `error`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from ingot.errors import ExitCode
from ingot.lab.chassis import PowerAction
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind

__all__ = [
    "FAULTS",
    "MAX_REQUEST",
    "REQUEST",
    "Answer",
    "ClearFaults",
    "Failure",
    "GetFaults",
    "GetStatus",
    "Ping",
    "PowerHost",
    "Request",
    "SetFault",
    "ShutDown",
]

MAX_REQUEST = 65_536
"""How many bytes a request may have; the largest real one has a few hundred."""


class Message(BaseModel):
    """Immutable, and nothing unknown in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Ping(Message):
    """Are you there?"""

    do: Literal["ping"] = "ping"


class GetStatus(Message):
    """How is everyone? Answered by a `LabStatus`."""

    do: Literal["status"] = "status"


class PowerHost(Message):
    """Do something to a host's power."""

    do: Literal["power"] = "power"
    host: str
    action: PowerAction


class SetFault(Message):
    """Let something misbehave."""

    do: Literal["set-fault"] = "set-fault"
    fault: Fault


class ClearFaults(Message):
    """Let something behave again. Answered by what was cleared."""

    do: Literal["clear-faults"] = "clear-faults"
    host: str | None = None
    kind: FaultKind | None = None


class GetFaults(Message):
    """Which faults are set? Answered by them."""

    do: Literal["faults"] = "faults"
    host: str | None = None


class ShutDown(Message):
    """Remember which hosts are on, and pull every plug. Answered by the hosts that were on."""

    do: Literal["shut-down"] = "shut-down"


Request = Annotated[
    Ping | GetStatus | PowerHost | SetFault | ClearFaults | GetFaults | ShutDown,
    Field(discriminator="do"),
]


class Failure(Message):
    """Why a request was not done."""

    what: str
    remedy: str = ""
    exit_code: ExitCode = ExitCode.OTHER


class Answer(Message):
    """What came of a request."""

    result: JsonValue = None
    error: Failure | None = None


REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
FAULTS = TypeAdapter(tuple[Fault, ...])
