"""All hosts as the API server shows them, followed by one watch, with when each got where."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from tests.integration.kubeapi import ADMIN_TOKEN, KubeApi
from tests.operator_site.cluster import HOSTS

Json = dict[str, Any]

EVENTS: Final = ("ADDED", "MODIFIED", "DELETED")
AGAIN_SECONDS: Final = 0.5
LOOK_SECONDS: Final = 0.2
"""Between two looks at all hosts. Events are too many, for a thousand hosts, to look at each."""
ENDS_WITHIN: Final = 10.0


@dataclass
class Following:
    """What was seen so far.

    Attributes:
        hosts: each as it was last.
        path: the states that each went through, in order, with the time of each.
        removed: hosts that are gone.
    """

    hosts: dict[str, Json] = field(default_factory=dict)
    path: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    def states(self) -> Counter[str]:
        """Return how many hosts are in each state."""
        return Counter(map(state_of, list(self.hosts.values())))

    def errors(self) -> dict[str, str]:
        """Return the hosts that show an error, with what it says."""
        return {
            name: host["status"]["errorMessage"]
            for name, host in list(self.hosts.items())
            if host.get("status", {}).get("errorMessage")
        }

    def wait(self, reached: Callable[[Json], bool], *, count: int, within: float) -> None:
        """Return once so many hosts fulfil a condition.

        Raises:
            AssertionError: it has taken too long.
        """
        deadline = time.monotonic() + within
        while sum(map(reached, list(self.hosts.values()))) < count:
            assert time.monotonic() < deadline, f"not within {within:g} s: {self.summary()}"
            time.sleep(LOOK_SECONDS)

    def summary(self) -> str:
        """Return where hosts stand, for whoever reads of a failure."""
        states = ", ".join(f"{number} {state or 'new'}" for state, number in self.states().items())
        errors = "; ".join(f"{name}: {said}" for name, said in list(self.errors().items())[:3])
        return f"{states}; errors: {errors or 'none'}"

    def take(self, event: Json) -> None:
        """Note an event of the watch."""
        host = event["object"]
        name = host["metadata"]["name"]
        if event["type"] == "DELETED":
            self.hosts.pop(name, None)
            self.removed.add(name)
            return
        self.hosts[name] = host
        path = self.path.setdefault(name, [])
        if not path or path[-1][0] != state_of(host):
            path.append((state_of(host), time.monotonic()))


def state_of(host: Json) -> str:
    """Return where a host stands."""
    state: str = host.get("status", {}).get("provisioning", {}).get("state", "")
    return state


@contextmanager
def following(api: KubeApi) -> Iterator[Following]:
    """Follow all hosts until the end of the block."""
    seen = Following()
    watch = _Watch(api, seen)
    thread = threading.Thread(target=watch.run, name="following", daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        watch.end()
        thread.join(ENDS_WITHIN)


class _Watch:
    """A watch that is taken up again: the server ends one whose client is too slow for it."""

    def __init__(self, api: KubeApi, seen: Following) -> None:
        self._api = api
        self._seen = seen
        self._version = ""
        self._ending = False
        self._connection: http.client.HTTPSConnection | None = None

    def run(self) -> None:
        while not self._ending:
            try:
                self._follow()
            except (OSError, ValueError, AttributeError, http.client.HTTPException):
                time.sleep(AGAIN_SECONDS)

    def end(self) -> None:
        self._ending = True
        if self._connection is not None and self._connection.sock is not None:
            with suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)

    def _follow(self) -> None:
        context = ssl.create_default_context(cafile=self._api.ca)
        self._connection = http.client.HTTPSConnection("127.0.0.1", self._api.port, context=context)
        with closing(self._connection):
            path = f"{HOSTS}?watch=1&resourceVersion={self._version}"
            headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
            self._connection.request("GET", path, headers=headers)
            answer = self._connection.getresponse()
            while line := answer.readline():
                event = json.loads(line)
                if event.get("type") not in EVENTS:
                    self._version = ""  # What is left out since then is forgotten: all anew.
                    return
                self._version = event["object"]["metadata"]["resourceVersion"]
                self._seen.take(event)
