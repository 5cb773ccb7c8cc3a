"""Starting a lab's daemon, and knowing that it is up."""

from __future__ import annotations

import os
import sys

from ingot.lab.control import Control
from ingot.lab.daemon.telling import wait_until_told
from ingot.lab.labs import Lab
from ingot.lab.plan import LabPlan

__all__ = ["launch"]

START_SECONDS = 60.0
"""How long a daemon may take; on an idle PC it is a second."""

ANSWER_SECONDS = 5.0
"""How long one that is there may take to say so, before it is held to hang."""


def launch(lab: Lab, plan: LabPlan) -> None:
    """Have a daemon that answers, the one that is there or a new one.

    Raises:
        DaemonFailed: it does not start, and why.
    """
    if lab.daemon.pid() is not None:
        if Control(lab.control_socket, patience=ANSWER_SECONDS).is_answering():
            return
        lab.daemon.stop()
    reading, writing = os.pipe()
    try:
        try:
            lab.daemon.start(
                [
                    *("ip", "netns", "exec", plan.namespace),
                    # -P: what lies in the user's folder is not to be taken for a library.
                    *(sys.executable, "-P", "-m", "ingot.lab.daemon", lab.home.absolute()),
                ],
                output=writing,
                env={"PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"},
            )
        finally:
            os.close(writing)
        wait_until_told(reading, within=START_SECONDS)
    except BaseException:
        lab.daemon.stop()
        raise
    finally:
        os.close(reading)
