"""A candidate for a lease, as a process of its own that can be killed.

It writes a line whenever its state changes, and a heartbeat while it acts.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.kind import ObjectKey
from ingot.kube.leadership import Leadership, LeadershipLost, boot_time
from ingot.kube.lease import Terms

TERMS = Terms(duration=4.0, renew_deadline=2.5, retry_period=0.5)


def say(word: str) -> None:
    sys.stdout.write(f"{word} {boot_time():.3f}\n")
    sys.stdout.flush()


async def main(kubeconfig: Path, namespace: str, identity: str) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)

    async def act() -> None:
        say("begin")
        try:
            while not stop.is_set():
                say("beat")
                await asyncio.sleep(0.02)
        finally:
            say("end")

    async with KubeClient(from_kubeconfig(kubeconfig)) as client:
        leadership = Leadership(
            client, ObjectKey(namespace, "leader"), identity=identity, terms=TERMS
        )
        say("ready")
        try:
            await leadership.run(act, stop)
        except LeadershipLost:
            say("lost")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
