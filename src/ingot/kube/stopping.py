"""Waiting that ends early when the program is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["finished_before"]


async def finished_before(stop: asyncio.Event, wait: Coroutine[Any, Any, None]) -> bool:
    """Wait for something or for the stop, and tell whether it was the former.

    What has not finished is cancelled, and has ended when this returns.
    """
    waiting = asyncio.create_task(wait)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            waiting.result()
            return True
        return False
    finally:
        waiting.cancel()
        stopping.cancel()
        await asyncio.wait({waiting, stopping})
