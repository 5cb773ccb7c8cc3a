"""The programs of the pod's containers, each in the foreground.

The boot servers write who boots into files, which the operator follows; so they run as children of
who keeps those files short. Ironic takes this process's place.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ingot.ironic.conf import dnsmasq, nginx
from ingot.metal3.operator.boots.bounding import run_bounded
from ingot.metal3.pod import places

__all__ = ["run_dnsmasq", "run_httpd", "run_ironic"]


def run_ironic() -> NoReturn:
    """Become Ironic."""
    environment = {**os.environ, "TMPDIR": str(places.TEMPORARY)}
    words = ["/usr/bin/ironic", "--config-file", str(places.IRONIC_CONF)]
    os.execve(words[0], words, environment)  # noqa: S606 - the image's own program


def run_dnsmasq() -> int:
    """Run dnsmasq to its end, and return its exit code; its log is shown here too."""
    words = ["/usr/sbin/dnsmasq", f"--conf-file={places.DNSMASQ_CONF}"]
    return _bounded(words, Path(dnsmasq.LOG), signal.SIGUSR2, echo=True)


def run_httpd() -> int:
    """Run nginx to its end, and return its exit code."""
    # Until it has read its configuration it would log into a root that is read-only.
    words = ["/usr/sbin/nginx", "-e", "stderr", "-c", str(places.NGINX_CONF)]
    return _bounded(words, Path(nginx.BOOT_LOG), signal.SIGUSR1, echo=False)


def _bounded(words: Sequence[str], log: Path, reopen: signal.Signals, *, echo: bool) -> int:
    code = asyncio.run(run_bounded(words, log, reopen=reopen, echo=echo))
    return code if code >= 0 else 128 - code  # as shells tell of signals
