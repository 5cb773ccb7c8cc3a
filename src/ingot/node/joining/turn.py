"""Waiting for this machine's turn to join the control plane: the config server gives it.

It is a courtesy, not a lock: kubeadm and etcd keep the cluster whole without it. So whoever gets no
answer, or waits too long, goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

import httpx2

from ingot.configserver.joinfile import Source
from ingot.node.joining.office import client_of

__all__ = ["await_turn"]

ASK_SECONDS: Final = 10.0
PAUSE_SECONDS: Final = 5.0
SILENCES: Final = 6
"""So often in a row the config server may not answer."""

LONGEST_SECONDS: Final = 900.0
"""Two others, each with a turn of its own that ends by itself, and some more."""


def await_turn(
    source: Source | None,
    say: Callable[[str], None],
    wait: Callable[[float], None],
    *,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Return when it is this machine's turn, or when there is no use in waiting.

    Args:
        source: the config server, and who we are to it.
        say: told what is waited for.
        wait: waits for some seconds.
        clock: seconds that only grow.
    """
    if source is None:
        return
    until, silences, told = clock() + LONGEST_SECONDS, 0, ""
    while clock() < until and silences < SILENCES:
        holder = _asked(source)
        if holder == "":
            return
        silences = silences + 1 if holder is None else 0
        now = f"waiting for our turn: {holder or 'the config server does not answer'}"
        if now != told:
            say(now)
            told = now
        wait(PAUSE_SECONDS)
    say("waited long enough for our turn: going on")


def _asked(source: Source) -> str | None:
    """Return why it is not our turn; empty when it is, and None when nobody says."""
    parts = urlsplit(source.url)
    try:
        with client_of(source, ASK_SECONDS) as client:
            answer = client.post(f"{parts.scheme}://{parts.netloc}/turn", content=b"")
        if answer.status_code == httpx2.codes.CONFLICT:
            return str(answer.json()["error"])
    except (httpx2.HTTPError, OSError, ValueError, KeyError, TypeError):
        return None
    # A config server of an earlier version knows of no turns.
    return (
        "" if answer.is_success or answer.status_code != httpx2.codes.SERVICE_UNAVAILABLE else None
    )
