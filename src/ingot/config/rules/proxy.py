"""The proxy's addresses and what bypasses it."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from ingot.config.model import InstallConfig
from ingot.config.problem import error
from ingot.config.reading import to_address
from ingot.config.registry import Findings, check
from ingot.config.rules.names import is_domain


@check(
    "G13",
    "A proxy has an http or https address outside the cluster's networks, and noProxy lists "
    "addresses, CIDRs or domains.",
)
def proxy_is_usable(config: InstallConfig) -> Findings:
    proxy = config.proxy
    if proxy is None:
        return
    if not proxy.http_proxy and not proxy.https_proxy:
        yield error(
            ("proxy",), "proxy names no proxy", "add httpProxy or httpsProxy, or remove proxy"
        )
    yield from _proxy_address(config, "httpProxy", proxy.http_proxy, ("http",))
    yield from _proxy_address(config, "httpsProxy", proxy.https_proxy, ("http", "https"))
    yield from _no_proxy(proxy.no_proxy)


def _proxy_address(
    config: InstallConfig, name: str, text: str, schemes: tuple[str, ...]
) -> Findings:
    """Check one address. The text is never shown: it may hold a password."""
    if not text:
        return
    path = ("proxy", name)
    remedy = f"write it as {schemes[0]}://proxy.example.com:3128"
    url = _split(text)
    if url is None or not url.hostname:
        yield error(path, f"{name} is not a URL with a host", remedy)
        return
    if url.scheme not in schemes:
        yield error(path, f"{name} has the scheme {url.scheme!r}", remedy)
    try:
        address = to_address(url.hostname)
    except ValueError:
        return
    networks = [*config.networking.cluster_cidrs, *config.networking.service_network]
    for network in networks:
        if address in network:
            yield error(
                path,
                f"{name} {address} lies in the cluster's network {network}",
                "use a proxy outside it, or choose another network",
            )


def _split(text: str) -> SplitResult | None:
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        return None
    return url


def _no_proxy(text: str) -> Findings:
    path = ("proxy", "noProxy")
    if not text or text == "*":
        return
    if " " in text:
        yield error(path, "noProxy has spaces", "separate its elements by commas alone")
    for element in text.replace(" ", "").split(","):
        if not _is_destination(element):
            yield error(
                path,
                f"noProxy element {element!r} is neither an address, a CIDR nor a domain",
                "write domains without a wildcard: .example.com",
            )


def _is_destination(element: str) -> bool:
    try:
        to_address(element)
    except ValueError:
        pass
    else:
        return True
    if "/" in element:
        try:
            ipaddress.ip_network(element, strict=False)
        except ValueError:
            return False
        return True
    return is_domain(element.removeprefix("."))
