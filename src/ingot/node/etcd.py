"""etcd's members, through the JSON gateway that every etcd has."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from ingot.errors import IngotError

__all__ = ["Etcd", "EtcdError", "Member"]

SECONDS = 5.0


class EtcdError(IngotError):
    """etcd does not answer, or refuses."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of etcd.

    Attributes:
        number: its id, as etcd writes it.
        name: that of its node; empty before it has started.
        learner: whether it has no vote yet.
        urls: where it is asked.
        peers: where other members reach it; known also before it has started.
    """

    number: str
    name: str
    learner: bool
    urls: tuple[str, ...]
    peers: tuple[str, ...] = ()


class Etcd:
    """One etcd, asked as kubeadm's health check is.

    Args:
        pki: kubeadm's folder of etcd's certificates.
    """

    def __init__(self, pki: Path) -> None:
        self._pki = pki

    async def members(self, url: str) -> tuple[Member, ...]:
        """Return all members, as the one at an address knows them."""
        answer = await self._ask(url, "cluster/member/list")
        return tuple(
            Member(
                number=str(one["ID"]),
                name=str(one.get("name", "")),
                learner=bool(one.get("isLearner", False)),
                urls=tuple(one.get("clientURLs", ())),
                peers=tuple(one.get("peerURLs", ())),
            )
            for one in answer.get("members", ())
        )

    async def remove(self, urls: Sequence[str], number: str) -> None:
        """Remove a member, through the first of some others that answers."""
        await self._through(urls, "cluster/member/remove", {"ID": number})

    async def give_lead_to(self, url: str, number: str) -> None:
        """Have the member at an address give the lead to another, if it has it."""
        status = await self._ask(url, "maintenance/status")
        if status.get("leader") == status.get("header", {}).get("member_id"):
            await self._ask(url, "maintenance/transfer-leadership", {"targetID": number})

    async def is_healthy(self, url: str) -> bool:
        """Return whether a member takes part: it reads through a majority."""
        try:
            async with self._client() as client:
                answer = await client.get(f"{url}/health")
                return answer.status_code == httpx2.codes.OK and answer.json().get("health") in (
                    "true",
                    True,
                )
        except (httpx2.HTTPError, ValueError):
            return False

    async def _through(self, urls: Sequence[str], path: str, body: dict[str, str]) -> None:
        failed: EtcdError | None = None
        for url in urls:
            try:
                await self._ask(url, path, body)
            except EtcdError as error:
                failed = error
            else:
                return
        raise failed or EtcdError("etcd has no other member", remedy="wait for others to join")

    async def _ask(self, url: str, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        try:
            async with self._client() as client:
                answer = await client.post(f"{url}/v3/{path}", json=body or {})
                answer.raise_for_status()
                found: dict[str, Any] = answer.json()
                return found
        except (httpx2.HTTPError, ValueError) as error:
            raise EtcdError(
                f"etcd at {url} cannot do {path}: {error}",
                remedy="see the log of the etcd pod on that node",
            ) from error

    def _client(self) -> httpx2.AsyncClient:
        context = ssl.create_default_context(cafile=self._pki / "ca.crt")
        context.load_cert_chain(
            self._pki / "healthcheck-client.crt", self._pki / "healthcheck-client.key"
        )
        return httpx2.AsyncClient(verify=context, timeout=SECONDS, trust_env=False)
