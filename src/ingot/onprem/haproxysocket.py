"""haproxy's socket: asking a running haproxy, and telling it about its servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingot.errors import ExitCode
from ingot.onprem.haproxy import Service
from ingot.onprem.haproxyslots import Slot, commands, read_slots
from ingot.onprem.model import Address
from ingot.onprem.problem import OnPremError
from ingot.onprem.seentime import answered

__all__ = ["BalancerSilentError", "HaproxySocket"]

PATIENCE = 2.0
"""Seconds for an answer; one takes less than a millisecond unless haproxy hangs."""


class BalancerSilentError(OnPremError):
    """haproxy does not answer on its socket."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, socket: Path, why: str) -> None:
        super().__init__(
            f"haproxy does not answer at {socket}: {why}",
            remedy="see its log; the node gives up the API's VIP until it answers",
        )


@dataclass(frozen=True, slots=True)
class HaproxySocket:
    """One haproxy, by its socket.

    Attributes:
        path: where the socket is.
        patience: how many seconds an answer may take.
    """

    path: Path
    patience: float = PATIENCE

    async def slots(self, service: Service) -> tuple[Slot, ...]:
        """Return what the slots of a service hold.

        Raises:
            BalancerSilentError: there was no answer.
            BadAnswerError: it could not be understood.
        """
        # Servers alone: the rest would be read for nothing, again and again.
        return read_slots(await self.ask("show stat -1 4 -1"), service.name)

    async def serve(self, service: Service, wanted: Iterable[Address]) -> bool:
        """Make the slots of a service hold some servers, and return whether anything was changed.

        Raises:
            BalancerSilentError: there was no answer.
            BadAnswerError: it could not be understood.
        """
        said = commands(service, await self.slots(service), wanted)
        if said:
            await self.ask(*said)
        return bool(said)

    async def servers_state(self, service: Service) -> str:
        """Return haproxy's own words about the servers of a service, to be kept over a restart.

        Raises:
            BalancerSilentError: there was no answer.
        """
        return await self.ask(f"show servers state {service.name}")

    async def ask(self, *lines: str) -> str:
        """Say some commands, and return the answers.

        Raises:
            BalancerSilentError: there was no answer in time.
        """
        try:
            return await answered(self._ask(lines), within=self.patience)
        except TimeoutError as error:
            why = f"nothing within {self.patience:g} seconds"
            raise BalancerSilentError(self.path, why) from error
        except OSError as error:
            raise BalancerSilentError(self.path, error.strerror or str(error)) from error

    async def _ask(self, lines: Sequence[str]) -> str:
        reader, writer = await asyncio.open_unix_connection(self.path)
        try:
            writer.write(f"{'; '.join(lines)}\n".encode())
            return (await reader.read()).decode(errors="replace")
        finally:
            writer.close()
