"""What a stretch of time has cost each part of a site."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from tests.operator_site.counting import by_kind
from tests.operator_site.operator import Operator
from tests.operator_site.process import machine_cpu_seconds
from tests.operator_site.site import OperatorSite


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The difference between two moments, CPU in seconds.

    Attributes:
        api_cpu: of the API server with its store.
        other_cpu: of all else on this machine, the measuring itself included.
        ironic_requests: what Ironic was asked, by method and path.
        api_requests: what the API server was asked by the operator, by verb and resource.
    """

    seconds: float
    operator_cpu: float
    ironic_cpu: float
    bmcs_cpu: float
    api_cpu: float
    other_cpu: float
    ironic_requests: Counter[str]
    api_requests: Counter[str]


class Meter:
    """Measures from one reading to the next.

    What the bench itself asks the API server for is taken off: it tells how often it asked.
    """

    def __init__(self, site: OperatorSite, operator: Operator) -> None:
        self._site = site
        self._operator = operator
        self.begin()

    def begin(self) -> None:
        """Forget what was until now."""
        site = self._site
        site.requests.skip()
        self._api = site.cluster.requests()
        self._cpu = self._used()
        self._at = time.monotonic()

    def read(self, ours: Counter[str] | None = None) -> Cost:
        """Return the cost since the last reading, and begin anew.

        Args:
            ours: what this process has asked the API server for in that time.
        """
        site = self._site
        now = time.monotonic()
        cpu = self._used()
        operator, ironic, bmcs, api, machine = (
            after - before for before, after in zip(self._cpu, cpu, strict=True)
        )
        asked = site.cluster.requests() - self._api
        cost = Cost(
            seconds=now - self._at,
            operator_cpu=operator,
            ironic_cpu=ironic,
            bmcs_cpu=bmcs,
            api_cpu=api,
            other_cpu=machine - operator - ironic - bmcs - api,
            ironic_requests=by_kind(site.requests.new()),
            api_requests=asked - (ours or Counter()),
        )
        self.begin()
        return cost

    def _used(self) -> tuple[float, ...]:
        site = self._site
        parts = (self._operator, site.ironic, site.bmcs, site.cluster)
        return (*(part.cpu_seconds for part in parts), machine_cpu_seconds())
