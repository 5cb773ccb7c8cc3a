"""A real Ironic in a site's network that tells of itself by mDNS, and drives nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.conf.ironic import Api, IronicConf, Urls
from tests.e2e.ironic_api import IronicApi, Json
from tests.e2e.site import GATEWAY, Site
from tests.integration.ironic.service import DATABASE, running, unpacked_root

PORT = 6385
URL = f"http://{GATEWAY}:{PORT}"
CONF = IronicConf(
    my_ip=GATEWAY,
    urls=Urls(api=URL, http=f"http://{GATEWAY}:6180"),
    api=Api(listen=GATEWAY, port=PORT),
    interfaces=replace(Interfaces.fake(), default_inspect="agent"),
    database=DATABASE,
    fast_track=False,
)
MDNS = f"""
[conductor]
enable_mdns = true
[mdns]
interfaces = {GATEWAY}
"""


@dataclass(frozen=True)
class Ironic:
    """A running Ironic."""

    site: Site
    api: IronicApi

    def ask(self, method: str, path: str, body: object = None) -> Json:
        """Call its API."""
        return self.api.ask(method, path, body)


@contextmanager
def running_ironic(site: Site) -> Iterator[Ironic]:
    """Start an Ironic; it is gone afterwards."""
    root = unpacked_root(site.folder)
    with running(root, site.folder, CONF, extra=MDNS, namespace=site.namespace) as service:
        api = IronicApi(site.namespace, URL, service.log)
        api.wait_until_ready()
        yield Ironic(site, api)
