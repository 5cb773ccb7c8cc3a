"""Which VIPs this node may speak about: all that it was planned with, others after listening."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from ingot.onprem.answering import is_answered
from ingot.onprem.joining import QUIET_SECONDS, Joining, may_speak
from ingot.onprem.keepalived import Instance, Keepalived
from ingot.onprem.model import Role
from ingot.onprem.monitor.asking import page
from ingot.onprem.monitor.ears import Ears
from ingot.onprem.monitor.metrics import lists
from ingot.onprem.monitor.options import Options

__all__ = ["Admission"]

log = logging.getLogger(__name__)

ANSWER_SECONDS = 0.5


class Admission:
    """Lets instances in, one by one, as they become safe.

    Attributes:
        waiting: why some are not in yet, by their names.
    """

    def __init__(self, options: Options, ears: Ears) -> None:
        self.waiting: dict[str, str] = {}
        self._options = options
        self._ears = ears
        self._admitted: set[str] = set()
        self._quiet: dict[str, float] = {}

    def leave(self) -> None:
        """Forget who was in: this node takes part no more, and would have to listen again."""
        self._admitted.clear()
        self._quiet.clear()
        self._ears.listing.clear()
        self._ears.awaited.clear()

    async def admitted(self, wanted: Keepalived) -> Keepalived:
        """Return what keepalived may be told of what is wanted."""
        self._ears.listen(wanted.instances)
        inside = [one for one in wanted.instances if await self._is_in(one)]
        return replace(wanted, instances=tuple(inside))

    async def _is_in(self, one: Instance) -> bool:
        if one.name in self._admitted:
            return True
        now = asyncio.get_running_loop().time()
        bootstrap = self._options.role is Role.BOOTSTRAP
        planned = bootstrap or self._options.is_planned((one.source,))
        heard = one.vip in self._ears.listing
        known = not (planned or heard) and await self._is_known(one)
        answered = not (planned or heard or known) and await is_answered(
            one.vip, one.interface, within=ANSWER_SECONDS
        )
        since = self._quiet.setdefault(one.name, now)
        if answered:
            self._quiet[one.name] = since = now
        seen = Joining(
            planned=planned,
            heard=heard,
            known=known,
            answered=answered,
            quiet=min(now - since, QUIET_SECONDS),
        )
        may, why = may_speak(seen)
        if may:
            self._admitted.add(one.name)
            self.waiting.pop(one.name, None)
            if not planned:
                log.info("this node takes part in holding VIP %s: it %s", one.vip, why)
        else:
            self.waiting[one.name] = why
        return may

    async def _is_known(self, one: Instance) -> bool:
        """Tell whether the bootstrap holds a VIP, and all who may after it list this node."""
        port = self._options.metrics_port
        if not port or one.vip not in self._ears.awaited:
            return False
        pages = await asyncio.gather(*(page(peer, port, "/metrics") for peer in one.peers))
        return all(lists(said, one.vip, one.source) for said in pages)
