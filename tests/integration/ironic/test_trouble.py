"""A real Ironic that is busy, gone, empty, crowded, locked or somebody else's."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import pytest

from ingot.ironic.access import Access, Credentials, Tls
from ingot.ironic.client import Ironic
from ingot.ironic.conf.ironic import Api, TlsFiles
from ingot.ironic.node import Node
from ingot.ironic.refusal import (
    DeadlineError,
    IronicError,
    NodeBusyError,
    NotFoundError,
    UnreachableError,
)
from ingot.ironic.states import PowerTarget, ProvisionState, Verb
from ingot.ironic.transport import Limits
from tests.integration.ironic.certificates import write_certificates
from tests.integration.ironic.driven import created, driven, reached
from tests.integration.ironic.service import (
    ADDRESS,
    Service,
    fake_conf,
    free_port,
    running,
    with_api,
)

CROWD = 200
CROWD_SECONDS = 120.0
"""How long one of them may wait on a busy machine; what is judged is how many ask at once."""
HASHED = """
import sys
sys.path.insert(0, "/opt/ironic/lib")
import bcrypt
print(bcrypt.hashpw(b"right horse", bcrypt.gensalt(4)).decode())
"""
SLOW_POWER = "\n[fake]\npower_delay = 3\n"


def test_two_calls_at_once_on_one_node_meet(root: Path, tmp_path: Path) -> None:
    async def story(service: Service) -> None:
        hasty = Ironic(service.access, Limits(deadline=0.5))
        async with Ironic(service.access) as one, Ironic(service.access) as other, hasty:
            node = (await created(one)).uuid
            await driven(one, node, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await one.driving.power(node, PowerTarget.ON)

            async def too_late() -> None:
                # Ironic tries to get the lock for three seconds before it says that it cannot.
                with pytest.raises(DeadlineError) as late:
                    await hasty.driving.power(node, PowerTarget.OFF)
                assert late.value.may_have_acted

            async def refused() -> None:
                with pytest.raises(NodeBusyError, match="is locked by host") as busy:
                    await other.driving.power(node, PowerTarget.OFF)
                assert busy.value.retry_after == 3
                assert not busy.value.may_have_acted

            async with asyncio.TaskGroup() as group:
                group.create_task(too_late())
                group.create_task(refused())
            assert (await other.nodes.get(node)).status.reservation == service.conf.host

    with running(root, tmp_path, extra=SLOW_POWER) as service:
        asyncio.run(story(service))


def test_one_client_outlives_ironics_restart_and_the_loss_of_its_database(
    root: Path, tmp_path: Path
) -> None:
    async def story(service: Service) -> None:
        async with Ironic(service.access) as ironic:
            chosen = str(uuid.uuid4())
            wish = {"uuid": chosen, "name": "metal3~kept", "driver": "fake-hardware"}
            node = (await ironic.nodes.create(wish)).uuid
            await driven(ironic, node, Verb.MANAGE, ProvisionState.MANAGEABLE)

            service.stop()
            for _ in range(3):
                with pytest.raises(UnreachableError) as gone:
                    await ironic.nodes.statuses()
                assert gone.value.retry_after == 5
                assert not gone.value.may_have_acted
            await asyncio.to_thread(service.start)
            status = await reached(ironic, node, ProvisionState.MANAGEABLE)
            assert status.uuid == node

            service.stop()
            service.forget()
            await asyncio.to_thread(service.start)
            assert await ironic.nodes.statuses() == []
            with pytest.raises(NotFoundError):
                await ironic.nodes.get(node)
            again = await ironic.nodes.create(wish)
            assert again.uuid == node
            await driven(ironic, node, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await driven(ironic, node, Verb.ADOPT, ProvisionState.ACTIVE)

    with running(root, tmp_path) as service:
        asyncio.run(story(service))


def test_a_crowd_of_nodes_is_driven_at_once_by_few_connections(root: Path, tmp_path: Path) -> None:
    most = 0

    async def story(service: Service) -> None:
        nonlocal most
        port = f":{service.conf.api.port:04X}"
        async with Ironic(service.access, Limits(deadline=CROWD_SECONDS)) as ironic:

            async def one(number: int) -> Node:
                node = await created(ironic, f"metal3~host-{number}")
                await ironic.driving.ask(node.uuid, Verb.MANAGE)
                return node

            async def count() -> None:
                nonlocal most
                while True:
                    table = await asyncio.to_thread(Path("/proc/net/tcp").read_text, "utf-8")
                    rows = [line.split() for line in table.splitlines()[1:]]
                    most = max(most, sum(row[2].endswith(port) and row[3] == "01" for row in rows))
                    await asyncio.sleep(0.05)

            async with asyncio.TaskGroup() as group:
                counting = group.create_task(count())
                made = [group.create_task(one(number)) for number in range(CROWD)]
                await asyncio.wait(made)
                counting.cancel()
            await all_manageable(ironic)
            names = {status.name for status in await ironic.nodes.statuses()}
            assert names == {f"metal3~host-{number}" for number in range(CROWD)}

    with running(root, tmp_path) as service:
        asyncio.run(story(service))
    assert 1 <= most <= 8


async def all_manageable(ironic: Ironic) -> None:
    async with asyncio.timeout(60):
        while True:
            seen = {one.provision_state for one in await ironic.nodes.statuses()}
            if seen == {ProvisionState.MANAGEABLE}:
                return
            await asyncio.sleep(0.5)


@contextmanager
def guarded(root: Path, folder: Path) -> Iterator[Service]:
    """Run an Ironic with TLS from a CA of its own, and one user."""
    hashed = subprocess.run(
        ["chroot", root, "/usr/bin/python3", "-c", HASHED],
        check=True, capture_output=True, text=True, timeout=60,
    ).stdout  # fmt: skip
    (root / "etc/htpasswd").write_text(f"operator:{hashed}", encoding="utf-8")
    write_certificates(root / "etc", folder)
    port = free_port()
    api = Api(
        listen=ADDRESS,
        port=port,
        htpasswd=PurePosixPath("/etc/htpasswd"),
        tls=TlsFiles(PurePosixPath("/etc/server.crt"), PurePosixPath("/etc/server.key")),
    )
    with running(root, folder, with_api(fake_conf(port), api, f"https://{ADDRESS}:{port}")) as made:
        yield made


def test_only_the_right_password_and_the_right_ca_lead_to_ironic(
    root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    trusted = Tls(ca_file=tmp_path / "ca.crt")
    right = Credentials("operator", "right horse")
    wrong = Credentials("operator", "battery staple")

    async def error(access: Access) -> IronicError:
        async with Ironic(access) as ironic:
            with pytest.raises(IronicError) as refused:
                await ironic.nodes.statuses()
            return refused.value

    async def story(url: str) -> list[IronicError]:
        async with Ironic(Access(url, right, trusted)) as ironic:
            assert (await ironic.readiness()).is_ready
            assert (await created(ironic)).status.provision_state is ProvisionState.ENROLL
        return [
            await error(Access(url, wrong, trusted)),
            await error(Access(url, None, trusted)),
            await error(Access(url, right, Tls())),
            await error(Access(url.replace(ADDRESS, "localhost"), right, trusted)),
        ]

    with guarded(root, tmp_path) as service:
        errors = asyncio.run(story(service.conf.urls.api))
    assert [type(one).__name__ for one in errors] == [
        "UnauthorizedError",
        "UnauthorizedError",
        "UntrustedError",
        "UntrustedError",
    ]
    assert errors[0].retry_after is None
    told = caplog.text + "".join(f"{one!r} {one} {one.remedy}" for one in errors)
    for secret in ("right horse", "battery staple", "b3BlcmF0b3I6"):
        assert secret not in told


def test_a_host_name_may_be_left_unchecked(root: Path, tmp_path: Path) -> None:
    async def story(url: str) -> None:
        right = Credentials("operator", "right horse")
        for tls in (Tls(tmp_path / "ca.crt", verify_host=False), Tls(verify=False)):
            async with Ironic(Access(url, right, tls)) as ironic:
                assert (await ironic.readiness()).is_ready

    with guarded(root, tmp_path) as service:
        asyncio.run(story(service.conf.urls.api.replace(ADDRESS, "localhost")))
