"""A kind to try things on, and coroutines as tests."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, ParamSpec

from pydantic import BaseModel

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.kind import Content, Kind
from tests.integration.kubeapi import ADMIN_TOKEN, KubeApi

P = ParamSpec("P")


class Spec(BaseModel):
    size: int
    colour: str = "grey"


class Widget(BaseModel):
    spec: Spec
    status: dict[str, int] = {}


WIDGETS = Kind.of_model(Widget, group="test.ingot.dev", version="v1", plural="widgets")
CONFIG_MAPS = Kind.untyped("", "v1", "ConfigMap", "configmaps")

DEFINITION: Content = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.test.ingot.dev"},
    "spec": {
        "group": "test.ingot.dev",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 1},
                                    "colour": {"type": "string", "enum": ["grey", "red", "blue"]},
                                },
                            },
                            "status": {
                                "type": "object",
                                "additionalProperties": {"type": "integer"},
                            },
                        },
                    }
                },
            }
        ],
    },
}


def widget(name: str, namespace: str, **spec: object) -> Content:
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {"size": 1, **spec}}


@asynccontextmanager
async def connected(
    api: KubeApi,
    *,
    token: str = ADMIN_TOKEN,
    **options: Any,  # noqa: ANN401 - of KubeClient
) -> AsyncIterator[KubeClient]:
    async with KubeClient(from_kubeconfig(api.kubeconfig(token)), **options) as client:
        yield client


def awaited(
    *, within: float = 60
) -> Callable[[Callable[P, Coroutine[Any, Any, None]]], Callable[P, None]]:
    """Let pytest run a coroutine, with a limit."""

    def wrap(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
        @functools.wraps(test)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            async def bounded() -> None:
                async with asyncio.timeout(within):
                    await test(*args, **kwargs)

            asyncio.run(bounded())

        return run

    return wrap


async def until(check: Callable[[], bool], *, within: float = 30) -> None:
    """Wait for something that other tasks bring about."""
    async with asyncio.timeout(within):
        while not check():  # noqa: ASYNC110 - a check is no event
            await asyncio.sleep(0.01)


async def in_thread(work: Callable[[], None]) -> None:
    """Do something that blocks, while the loop goes on."""
    await asyncio.to_thread(work)


Act = Callable[[], Awaitable[None]]
