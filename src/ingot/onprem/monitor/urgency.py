"""keepalived in real time, at the lowest such priority: who holds a VIP waits for no computing.

A share of the processor (cpu.cfs_quota_us) binds only what does not run in real time: in
a group with a twentieth of a processor a busy loop got 5 %, and the same loop in real time all that
the group's cpu.rt_runtime_us gave, which most kernels do not know.

The monitor sees to it itself, instead of `vrrp_rt_priority` in keepalived's file. With that,
keepalived 2.2.7 also limits how long it may compute without a pause (RLIMIT_RTTIME). On a reload it
sets this limit to 0, which it takes for what was there before, and without CAP_SYS_RESOURCE it may
not raise it again ("child process cannot set realtime rlimit"): the kernel kills its VRRP process
in the midst of the reload, and the VIP is lost for a moment. Here no such limit is set. A machine
is protected all the same: the kernel leaves a twentieth of each second to all that is not urgent.

keepalived's first process is made urgent before it starts the second, which has it from there: a
node that is starved needs it most while keepalived starts. What either of them is later found to
have lost, it is given again.
"""

from __future__ import annotations

import os

from ingot.onprem.problem import OnPremError

__all__ = ["NotUrgentError", "is_urgent", "make_urgent"]

PRIORITY = 1
POLICY = os.SCHED_RR
"""Those of the same priority take turns; with SCHED_FIFO one could keep the others out."""


class NotUrgentError(OnPremError):
    """A process cannot be made to run in real time."""

    def __init__(self, pid: int, said: str) -> None:
        super().__init__(
            f"keepalived does not run in real time (process {pid}): {said}",
            remedy="give the monitor CAP_SYS_NICE, and its control group a cpu.rt_runtime_us where "
            "the kernel has one; until then a node that is starved may claim a VIP that is held",
        )


def is_urgent(pid: int) -> bool:
    """Tell whether a process runs in real time; one that is gone does not."""
    try:
        return os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK == POLICY
    except ProcessLookupError:
        return False


def make_urgent(pid: int) -> None:
    """Let a process run in real time, and those that it starts later.

    Raises:
        NotUrgentError: it is not allowed; the process goes on as it did.
    """
    if is_urgent(pid):
        return
    try:
        os.sched_setscheduler(pid, POLICY, os.sched_param(PRIORITY))
    except ProcessLookupError:
        return
    except OSError as error:
        raise NotUrgentError(pid, error.strerror or str(error)) from error
