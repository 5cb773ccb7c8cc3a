"""This node's DNS: CoreDNS kept alive with the cluster's names, and /etc/resolv.conf."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from ingot.onprem.checking import check_coredns
from ingot.onprem.coredns import HEALTH_PORT, Coredns, coredns_of
from ingot.onprem.files import read_if_there, write_if_changed
from ingot.onprem.interfaces import read_addresses
from ingot.onprem.model import Situation
from ingot.onprem.monitor.asking import LOOPBACK, is_ready
from ingot.onprem.monitor.options import Options
from ingot.onprem.monitor.supervising import Supervised
from ingot.onprem.ports import check_free
from ingot.onprem.problem import NoUpstreamsError
from ingot.onprem.resolvconf import ResolvConf, own_resolv_conf, resolv_conf_of, upstreams_of

__all__ = ["Names"]

log = logging.getLogger(__name__)

SILENT_LOOKS = 10
"""After so many answers that are missing in a row, a new CoreDNS is better than this one."""


class Names:
    """CoreDNS and the node's resolver.

    Attributes:
        daemon: the process.
    """

    def __init__(self, options: Options) -> None:
        self.daemon = Supervised("coredns", before=self._before)
        self._options = options
        self._corefile = options.folders.run / "Corefile"
        self._hosts = options.folders.run / "hosts"
        self._wanted: Coredns | None = None
        self._given = ""
        self._silent = 0

    async def apply(self, situation: Situation) -> None:
        """Have CoreDNS answer by a situation, and the node ask it.

        Raises:
            IngotError: what is wanted was refused, and what was before stays.
        """
        given = await self._upstreams(situation)
        wanted = coredns_of(situation, upstreams=given.servers, hosts_file=self._hosts)
        if wanted != self._wanted:
            await self._change(wanted)
        await self._look()
        if self._options.resolv_conf is not None and self.daemon.runs:
            own_resolv_conf(self._options.resolv_conf, resolv_conf_of(situation, given))

    async def _look(self) -> None:
        """End a CoreDNS that runs and has not answered for some looks; another is started."""
        answers = not self.daemon.runs or await is_ready(LOOPBACK, HEALTH_PORT, "/health")
        self._silent = 0 if answers else self._silent + 1
        if self._silent >= SILENT_LOOKS:
            self._silent = 0
            self.daemon.end("it does not answer")

    async def _change(self, wanted: Coredns) -> None:
        known = self._wanted
        if write_if_changed(self._hosts, wanted.hosts()) and known is not None:
            log.info("coredns has new names: %d addresses", len(wanted.names))
        if known is None or replace(known, names=wanted.names) != wanted:
            program = self._options.program("coredns")
            await asyncio.to_thread(check_coredns, wanted, program=program)
            write_if_changed(self._corefile, wanted.render())
            if known is not None:
                log.info("coredns asks %s", ", ".join(map(str, wanted.upstreams)))
        self._wanted = wanted
        self.daemon.want((self._options.program("coredns"), "-conf", self._corefile))

    async def _upstreams(self, situation: Situation) -> ResolvConf:
        """Return the servers this node was given; the last good ones where there are none now."""
        found = (read_if_there(path) for path in self._options.given)
        text = next((one for one in found if one is not None), "")
        own = {one.address for one in situation.own} | set(situation.cluster.all_vips)
        if text and text != self._given:
            own |= {one.address for one in await asyncio.to_thread(read_addresses)}
        try:
            given = upstreams_of(text, own=own)
        except NoUpstreamsError:
            if not self._given:
                raise
            return upstreams_of(self._given, own=own)
        self._given = text
        return given

    async def _before(self) -> None:
        check_free({HEALTH_PORT: "the health of the node's DNS"}, address="127.0.0.1")
        for address in self._wanted.listen if self._wanted else ():
            check_free({53: "the node's DNS"}, address=str(address))
