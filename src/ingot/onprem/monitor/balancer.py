"""This node's balancer: haproxy kept alive, its servers changed while it runs, and what it sees.

Its file is kept up to date for its next start, and never makes it reload: what has changed is told
through its socket.
"""

from __future__ import annotations

import asyncio
import logging

from ingot.onprem.checking import check_haproxy
from ingot.onprem.files import write_if_changed
from ingot.onprem.haproxy import API, CONFIG, Haproxy
from ingot.onprem.haproxyslots import ready_count
from ingot.onprem.haproxysocket import BalancerSilentError, HaproxySocket
from ingot.onprem.monitor.options import Options
from ingot.onprem.monitor.supervising import Supervised
from ingot.onprem.ports import BALANCER_PORTS, check_free
from ingot.onprem.problem import BadAnswerError
from ingot.onprem.steady import Steady

__all__ = ["Balancer"]

log = logging.getLogger(__name__)

PATIENCE = 0.5
"""Seconds for an answer: a haproxy that needs longer serves nobody in time either. Those count in
which this process runs: a node that stood still knows nothing about its haproxy."""


FILL_LOOKS = 5
"""After so many looks its servers are compared again, where nothing has changed."""


SILENT_LOOKS = 10
"""After so many answers that are missing in a row, a new haproxy is better than this one."""


class Balancer:
    """haproxy on the control plane.

    Attributes:
        daemon: the process.
        ready: how many API servers it finds ready, by its last answer.
        fallen: set when haproxy has ended and nobody asked it to.
    """

    def __init__(self, options: Options) -> None:
        self.daemon = Supervised("haproxy", before=self._before, after=self._after)
        self.fallen = asyncio.Event()
        self.ready = 0
        self._options = options
        self._config = options.folders.run / "haproxy.cfg"
        self.socket_path = options.folders.run / "haproxy.sock"
        self._socket = HaproxySocket(self.socket_path, patience=PATIENCE)
        self._wanted: Haproxy | None = None
        self._filled = 0
        self._silent = 0
        self._answers = Steady(rise=1, fall=2)
        self._serves = Steady(rise=1, fall=2)

    async def apply(self, wanted: Haproxy | None) -> None:
        """Have haproxy balance over what is wanted, or not run at all.

        Raises:
            IngotError: what is wanted was refused, and what was before stays.
        """
        if wanted is None or not wanted.backends:
            if wanted is None and self._wanted is not None:
                self._wanted = None
                await self.daemon.unwant()
            return
        if wanted != self._wanted:
            text = wanted.render()
            program = self._options.program("haproxy")
            await asyncio.to_thread(check_haproxy, text, program=program)
            write_if_changed(self._config, text)
            if self._wanted is not None:
                log.info("haproxy balances over %s", ", ".join(map(str, wanted.backends)))
            self._wanted = wanted
            self._filled = 0
            self.daemon.want((program, "-db", "-f", self._config))
        await self._fill()

    async def look(self) -> tuple[bool, int]:
        """Return whether it runs and answers, and how many API servers it finds ready.

        One answer that is missing, or one look without a ready server, changes nothing yet; the
        end of the process is known for certain, and does so at once.
        """
        if not self.daemon.runs:
            self._answers, self._serves = Steady(rise=1, fall=2), Steady(rise=1, fall=2)
            self.ready = 0
            return False, 0
        try:
            self.ready = ready_count(await self._socket.slots(API))
            self._answers = self._answers.after(good=True)
            self._silent = 0
            self._serves = self._serves.after(good=self.ready > 0)
        except (BalancerSilentError, BadAnswerError):
            self._answers = self._answers.after(good=False)
            self._silent += 1
            if self._silent >= SILENT_LOOKS:
                self._silent = 0
                self.daemon.end("it does not answer")
        return self._answers.well, max(self.ready, 1) if self._serves.well else 0

    async def _fill(self) -> None:
        if self._wanted is None or not self.daemon.runs:
            return
        self._filled -= 1
        if self._filled > 0:
            return
        try:
            changed = [
                await self._socket.serve(service, self._wanted.backends)
                for service in (API, CONFIG)
            ]
            self._filled = 0 if any(changed) else FILL_LOOKS
        except (BalancerSilentError, BadAnswerError) as error:
            log.debug("%s", error)  # Its health tells of it, and it is tried again.

    async def _before(self) -> None:
        self._filled = self._silent = 0
        self.socket_path.unlink(missing_ok=True)
        check_free(BALANCER_PORTS)

    async def _after(self, _how: str) -> None:
        self.fallen.set()
