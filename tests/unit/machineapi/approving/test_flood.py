"""A flood costs next to nothing: requests are counted by their times, and none is read."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context, User

from ingot.kube.changes import Change
from ingot.kube.client import KubeClient
from ingot.kube.controller import Result
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.runtime import Runtime
from ingot.machineapi.approving.judging import SPARE_REQUESTS
from ingot.machineapi.approving.pending import Pending
from ingot.machineapi.approving.request import CLIENT_SIGNER, REQUESTS, Request
from ingot.machineapi.approving.room import ApprovingRoom
from ingot.machineapi.kinds import NODE
from ingot.machineapi.parts import Parts
from tests.unit.machineapi import objects
from tests.unit.machineapi.approving.asking import NOW

FLOOD = 300
NOBODY = SingleConfig(
    context_name="nobody",
    context=Context(cluster="nobody"),
    cluster=Cluster(server="http://127.0.0.1:1"),
    user=User(),
)
"""An API server that is not there: what is not in the stores cannot be had."""
UNREADABLE = 7
"""No text at all: whoever tries to read it fails."""


def asked(
    number: int, *, signer: str = CLIENT_SIGNER, status: Content | None = None
) -> KubeObject[Content]:
    """Return a request that cannot be read."""
    body = {
        "metadata": {
            "name": f"csr-{number}",
            "uid": f"uid-{number}",
            "resourceVersion": str(number + 1),
            "creationTimestamp": NOW.strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
        "spec": {"signerName": signer, "request": UNREADABLE},
        "status": status or {},
    }
    return KubeObject(REQUESTS, json.dumps(body).encode())


def looked_at(*, pending: int, nodes: int = 0) -> Result:
    """Return how a look at one of many requests ends, two minutes after they were made."""

    async def look() -> Result:
        async with KubeClient(NOBODY) as client:
            runtime = Runtime(client, component="test")
            for number in range(pending):
                runtime.watches.of(REQUESTS).store.put(asked(number))
            for number in range(nodes):
                runtime.watches.of(NODE).store.put(objects.node(f"n{number}"))
            room = ApprovingRoom(Parts(runtime=runtime, now=lambda: NOW + timedelta(minutes=2)))
            return await room.reconcile(ObjectKey("", "csr-0"))

    return asyncio.run(look())


def test_who_reads_such_a_request_fails() -> None:
    with pytest.raises(TypeError):
        Request.of(asked(0))


def test_a_flood_is_counted_without_reading_a_request() -> None:
    assert looked_at(pending=FLOOD) == Result.again_in(30.0)


def test_where_there_are_more_nodes_than_machines_nodes_count() -> None:
    assert looked_at(pending=SPARE_REQUESTS + 3, nodes=2) == Result.again_in(30.0)
    with pytest.raises(TypeError):
        looked_at(pending=SPARE_REQUESTS + 3, nodes=3)


def test_each_request_counts_once_however_often_it_changes() -> None:
    pending = Pending()
    for _ in range(2):
        for number in range(FLOOD):
            pending.heard(Change(None, asked(number)))
    assert list(pending) == [NOW] * FLOOD


@pytest.mark.parametrize(
    "decided",
    [
        asked(0, status={"conditions": [{"type": "Approved"}]}),
        asked(0, status={"conditions": [{"type": "Denied"}]}),
        asked(0, status={"conditions": [{"type": "Failed"}]}),
        asked(0, status={"certificate": "LS0t"}),
        None,
    ],
)
def test_what_is_decided_about_or_gone_counts_no_more(decided: KubeObject[Content] | None) -> None:
    pending = Pending()
    pending.heard(Change(None, asked(0)))
    pending.heard(Change(asked(0), decided))
    assert not list(pending)


def test_requests_of_other_signers_do_not_count() -> None:
    pending = Pending()
    pending.heard(Change(None, asked(0, signer="example.com/other")))
    assert not list(pending)
