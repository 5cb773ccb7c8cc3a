"""What the bootstrap tells of itself: on the console always, in the API while there is one.

A line on the console is `bootstrap [stage] text`, and the installer reads it there. What went wrong
has `error: ` before it, or `lasting error: ` where a person has to do something. In the API it is
the ConfigMap `ingot-infra/bootstrap`, whose key `status` holds JSON.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from ingot.kube.client import KubeClient, Patch
from ingot.kube.errors import ApiError
from ingot.kube.kind import Kind, ObjectKey
from ingot.node.bootstrap.stage import Journal, Stage

__all__ = ["CONFIG_MAPS", "NAMESPACE", "STATUS", "Teller"]

log = logging.getLogger(__name__)

NAMESPACE = "ingot-infra"
STATUS = ObjectKey(NAMESPACE, "bootstrap")
CONFIG_MAPS = Kind.untyped("", "v1", "ConfigMap", "configmaps")


@dataclass(slots=True)
class Teller:
    """Tells what is going on; a thing is told when it is new.

    Attributes:
        journal: when stages were reached.
        console: where lines go.
        client: the API, once it is there.
    """

    journal: Journal
    console: Callable[[str], None]
    client: KubeClient | None = None
    _stage: Stage = Stage.NETWORK
    _said: str = ""
    _error: str = ""
    _lasting: bool = False
    _hosts: list[dict[str, object]] = field(default_factory=list)
    _written: str = ""

    async def begins(self, stage: Stage, text: str) -> None:
        """Tell that a stage begins."""
        self.journal.began(stage)
        self._stage, self._said, self._error, self._lasting = stage, "", "", False
        await self.says(text)

    async def ends(self, stage: Stage) -> None:
        """Tell that a stage is behind us."""
        self.journal.ended(stage)
        await self.says("done")

    async def says(self, text: str) -> None:
        """Tell how a stage goes on."""
        if (text, "") != (self._said, self._error):
            self.console(f"bootstrap [{self._stage}] {text}")
        self._said, self._error, self._lasting = text, "", False
        await self._write()

    async def fails(self, error: str, *, lasting: bool = False) -> None:
        """Tell what went wrong last; it is tried again.

        Args:
            error: in one line.
            lasting: it does not pass by itself, and the line says what a person has to do.
        """
        if (error, lasting) != (self._error, self._lasting):
            kind = "lasting error" if lasting else "error"
            self.console(f"bootstrap [{self._stage}] {kind}: {error}")
        self._error, self._lasting = error, lasting
        await self._write()

    async def shows(self, hosts: list[dict[str, object]]) -> None:
        """Tell how the servers are."""
        self._hosts = hosts
        await self._write()

    async def _write(self) -> None:
        if self.client is None:
            return
        status = json.dumps(
            {
                "stage": self._stage.value,
                "message": self._said,
                "error": self._error,
                "lasting": self._lasting,
                "stages": self.journal.told(),
                "hosts": self._hosts,
            }
        )
        if status == self._written:
            return
        body = {
            "metadata": {"name": STATUS.name, "namespace": NAMESPACE},
            "data": {"status": status},
        }
        try:
            await self.client.patch(CONFIG_MAPS, STATUS, body, how=Patch.APPLY, force=True)
            self._written = status
        except ApiError as error:  # The console has it, and the next thing told carries all of it.
            log.debug("status not written: %s", error)
