"""A real Ironic in a site's network, from the tree that the metal3 image is made of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.debianlayers import metal3_root
from ingot.payload.pythontree import TREE, ironic_tree
from tests.e2e.site import GATEWAY, Site, eventually

PORT = 6385
URL = f"http://{GATEWAY}:{PORT}"

CONF = f"""\
[DEFAULT]
auth_strategy = noauth
host = test
rpc_transport = none
enabled_hardware_types = fake-hardware
enabled_boot_interfaces = fake
enabled_deploy_interfaces = fake
enabled_management_interfaces = fake
enabled_power_interfaces = fake
enabled_inspect_interfaces = agent
default_inspect_interface = agent
enabled_network_interfaces = noop
[api]
host_ip = {GATEWAY}
port = {PORT}
[conductor]
enable_mdns = true
[database]
connection = sqlite:////tmp/ironic.sqlite
[inspector]
require_managed_boot = false
[mdns]
interfaces = {GATEWAY}
[service_catalog]
endpoint_override = {URL}
"""

ASK = """
import json, sys, urllib.request
method, path, body = sys.argv[1:]
request = urllib.request.Request(
    "{url}" + path, method=method, data=body.encode() or None,
    headers={{"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "latest"}},
)
with urllib.request.urlopen(request, timeout=30) as answer:
    print(answer.read().decode() or "null")
"""


@dataclass(frozen=True)
class Ironic:
    """A running Ironic."""

    site: Site
    root: Path

    def ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON of any kind
        """Call its API."""
        done = self.try_to_ask(method, path, body)
        assert done.returncode == 0, f"{method} {path}:\n{done.stderr}\n{self.log[-3000:]}"
        return json.loads(done.stdout)

    def try_to_ask(
        self, method: str, path: str, body: object = None
    ) -> subprocess.CompletedProcess[str]:
        """Call its API and return how it went."""
        text = "" if body is None else json.dumps(body)
        command = ("python3", "-c", ASK.format(url=URL), method, path, text)
        return subprocess.run(
            self.site.command(*command), check=False, capture_output=True, text=True, timeout=60
        )

    @property
    def log(self) -> str:
        """What it has said so far."""
        return (self.site.folder / "ironic.log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def running_ironic(site: Site) -> Iterator[Ironic]:
    """Start an Ironic; it is gone afterwards."""
    base, tree = metal3_root(), ironic_tree()
    made = {one.artefact.key: one.artefact.path for one in make(Store(), [base, tree], Silent())}
    root = site.folder / "ironic"
    root.mkdir()
    for tar in (made[base.key] / "root.tar", made[tree.key] / TREE):
        subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    (root / "etc/ironic.conf").write_text(CONF, encoding="utf-8")

    def command(name: str, *arguments: str) -> list[str]:
        # A mount namespace of its own, so that its /proc goes with it.
        inside = f'mount -t proc proc "{root}/proc" && exec chroot "{root}" "$@"'
        return site.command(
            "unshare", "--mount", "sh", "-c", inside, "sh",
            f"/usr/bin/{name}", "--config-file", "/etc/ironic.conf", *arguments,
        )  # fmt: skip

    subprocess.run(command("ironic-dbsync", "create_schema"), check=True, capture_output=True)
    ironic = Ironic(site, root)
    with (
        (site.folder / "ironic.log").open("wb") as log,
        subprocess.Popen(
            command("ironic"), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        ) as process,
    ):
        try:
            eventually(lambda: _answers(ironic, process), within=120)
            yield ironic
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def _answers(ironic: Ironic, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, f"Ironic ended:\n{ironic.log[-3000:]}"
    return ironic.try_to_ask("GET", "/v1/drivers").returncode == 0
