"""All rules together: which of them a request is judged by, and when none is.

Requests of other signers are not ours. More requests than there could be kubelets are a flood, and
in a flood nothing is approved: so a stolen right to ask cannot be used by trying often.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from ingot.machineapi.approving.firstclient import judge_first_client
from ingot.machineapi.approving.renewal import judge_renewal
from ingot.machineapi.approving.request import CLIENT_SIGNER, SERVING_SIGNER, Request
from ingot.machineapi.approving.serving import Served, judge_serving
from ingot.machineapi.approving.verdict import Verdict, Wait
from ingot.machineapi.approving.world import World

__all__ = ["SIGNERS", "SPARE_REQUESTS", "flooded", "judge", "patience"]

SIGNERS: Final = frozenset({CLIENT_SIGNER, SERVING_SIGNER})

SPARE_REQUESTS: Final = 100
"""How many may be pending beyond one for each Machine or Node; upstream's number."""

COUNTED: Final = timedelta(hours=1)
"""How long a pending request counts; upstream's too."""

_SHORTEST: Final = 2.0
_LONGEST: Final = 60.0


def judge(request: Request, world: World, *, served: Served | None = None) -> Verdict:
    """Return what is said to a request of one of our signers."""
    if request.signer == SERVING_SIGNER:
        if not request.requester:
            return Wait(f"{request.user} is no Node")
        return judge_serving(request, world, served=served)
    if request.requester:
        return judge_renewal(request, world)
    return judge_first_client(request, world)


def flooded(pending: Iterable[datetime | None], *, kubelets: int, now: datetime) -> str:
    """Return why no request is approved at present; "" if there are not too many.

    Args:
        pending: when each of those was made that nobody has decided about.
        kubelets: how many there could be.
        now: the time.
    """
    since = now - COUNTED
    count = sum(1 for made in pending if made is None or made >= since)
    most = kubelets + SPARE_REQUESTS
    if count <= most:
        return ""
    return f"{count} requests are pending, and no more than {most} could be in order"


def patience(created: datetime | None, now: datetime) -> float:
    """Return how many seconds later a request that waits is looked at again."""
    age = (now - created).total_seconds() if created else 0.0
    return min(_LONGEST, max(_SHORTEST, age / 4))
