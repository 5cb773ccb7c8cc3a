"""What Ironic passes on to a BMC: here to an emulated one that speaks real Redfish."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ingot.ironic.bmc import Subscription
from ingot.ironic.client import Ironic
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.node import NodeStatus
from ingot.ironic.refusal import IronicError
from ingot.ironic.states import PowerState, PowerTarget, ProvisionState, Verb
from tests.integration.ironic.driven import driven, settled
from tests.integration.ironic.service import ADDRESS, fake_conf, free_port, running, started

SYSTEM = "27946b59-9e44-4fa7-8e91-f3527a1ef094"


@contextmanager
def emulated_bmc(folder: Path) -> Iterator[str]:
    """Run sushy-tools' own pretended machine; return its address."""
    port = free_port()
    program = Path(sys.executable).with_name("sushy-emulator")
    with (folder / "bmc.log").open("wb") as log:
        where = ["--interface", ADDRESS, "--port", str(port)]
        # It keeps its memory in a folder for temporary files, where those of others would be too.
        bmc = started(["env", f"TMPDIR={folder}", str(program), "--fake", *where], log)
    try:
        yield f"http://{ADDRESS}:{port}"
    finally:
        os.killpg(bmc.pid, signal.SIGKILL)
        bmc.wait()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder's files; return the address."""
    handler = partial(SimpleHTTPRequestHandler, directory=folder)
    with ThreadingHTTPServer((ADDRESS, 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{ADDRESS}:{server.server_port}"
        server.shutdown()


def test_media_and_power_reach_the_bmc(root: Path, tmp_path: Path) -> None:
    (tmp_path / "data.iso").write_bytes(b"an image")

    async def inserted(ironic: Ironic, node: NodeStatus) -> list[str | None]:
        return [one.image for one in await ironic.bmc.media(node.uuid) if one.inserted]

    async def story(ironic: Ironic, bmc: str, images: str) -> None:
        made = await ironic.nodes.create(
            {
                "driver": "redfish",
                "driver_info": {
                    "redfish_address": bmc,
                    "redfish_system_id": f"/redfish/v1/Systems/{SYSTEM}",
                    "redfish_username": "admin",
                    "redfish_password": "hush",
                },
            }
        )
        node = await driven(ironic, made.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
        await ironic.driving.power(node.uuid, PowerTarget.ON)
        await settled(ironic, node.uuid, lambda seen: seen.power_state is PowerState.ON)
        assert await inserted(ironic, node) == []
        await ironic.bmc.attach_media(node.uuid, f"{images}/data.iso")
        await settled(ironic, node.uuid, lambda seen: seen.reservation is None)
        copy = f"{service.conf.urls.http}/redfish/cdrom-{node.uuid}.iso"
        assert await inserted(ironic, node) == [copy]
        await ironic.bmc.detach_media(node.uuid)
        await settled(ironic, node.uuid, lambda seen: seen.reservation is None)
        assert await inserted(ironic, node) == []
        with pytest.raises(IronicError) as refused:
            await ironic.bmc.subscribe(
                node.uuid, Subscription(destination="https://events.example.com")
            )
        assert "hush" not in str(refused.value)

    async def told(url: str, images: str) -> None:
        async with Ironic(service.access) as ironic:
            await story(ironic, url, images)

    with served(root / "shared/html") as html, served(tmp_path) as images:
        conf = fake_conf(free_port())
        conf = replace(conf, interfaces=Interfaces(), urls=replace(conf.urls, http=html))
        with running(root, tmp_path, conf) as service, emulated_bmc(tmp_path) as bmc:
            asyncio.run(told(bmc, images))
