"""Clears away what a try to join left behind, so that the next one begins as the first did.

`kubeadm reset` is not the way. It knows this node's etcd member only once the node's API server is
known to the cluster, and wipes etcd's data all the same: the others would then wait for a member
that never comes back. It also removes the authorities and the static pod that were given to this
node; and killing that pod would leave a VIP behind on a machine where nobody answers for it.

The order matters, since this too may be ended at any moment: the others forget the member first;
its manifest goes then, and only then its data. So data without a manifest belongs to nobody.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingot.configserver.role import Role
from ingot.errors import IngotError
from ingot.node.etcd import Etcd
from ingot.node.joining.etcdplan import leave, place_in
from ingot.node.joining.places import Places
from ingot.onprem.files import read_if_there
from ingot.onprem.ports import check_free
from ingot.onprem.problem import PortTakenError
from ingot.process import CommandFailed, run

__all__ = ["PORTS", "Clearing", "StillThere"]

log = logging.getLogger(__name__)

PORTS: Final[Mapping[int, str]] = {
    6443: "kube-apiserver",
    10257: "kube-controller-manager",
    10259: "kube-scheduler",
    2379: "etcd",
    2380: "etcd",
}
"""Where kubeadm wants nobody to listen when it begins."""

_ANY: Final = ("0.0.0.0", *(["::"] if Path("/proc/net/if_inet6").exists() else []))  # noqa: S104

STOP_SECONDS: Final = 60.0
"""kubelet gives a static pod 30 seconds, and on a slow machine is late to notice."""


class StillThere(IngotError):  # noqa: N818 - it says what was seen
    """What an earlier try has started does not go away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearing:
    """Clears one machine.

    Attributes:
        places: where things are.
        role: what it was to become.
        ports: what has to be free afterwards.
        seconds: how long static pods may take to end.
        systemctl: how units are stopped.
        ctr: how containers are ended that kubelet does not end.
    """

    places: Places
    role: Role
    ports: Mapping[int, str] = field(default_factory=lambda: PORTS)
    seconds: float = STOP_SECONDS
    systemctl: Path = Path("systemctl")
    ctr: Path = Path("ctr")

    def clear(self) -> None:
        """Clear away what is of kubeadm; what was given to this node stays.

        Raises:
            EtcdError: the other members cannot be told that this one is gone; nothing was removed.
            StillThere: a static pod does not end.
        """
        control_plane = self.role is Role.CONTROL_PLANE
        if control_plane:
            self._leave_etcd()
            self._end_static_pods()
        self._stop_kubelet()
        if control_plane:
            _emptied(self.places.etcd_data)
        for path in self.places.written_by_kubeadm(control_plane=control_plane):
            path.unlink(missing_ok=True)

    def _leave_etcd(self) -> None:
        manifest = read_if_there(self.places.manifest("etcd"))
        place = place_in(manifest) if manifest else None
        if place is not None:
            asyncio.run(leave(Etcd(self.places.pki / "etcd"), place))

    def _end_static_pods(self) -> None:
        """Take the static pods from kubelet, and wait until they have ended.

        A kubelet whose first certificate never came is busy with asking for it, and may leave some
        of them running for as long as one waits. Then they are ended without it.
        """
        for path in self.places.manifests():
            path.unlink(missing_ok=True)
        if not self._ended():
            self._stop_kubelet()
            for name in self._running():
                self._kill(name)
        if not self._ended():
            raise StillThere(
                f"{', '.join(self._running())} of an earlier try still runs",
                remedy="see `journalctl -u kubelet`, or restart this machine",
            )

    def _ended(self) -> bool:
        deadline = time.monotonic() + self.seconds
        while self._running():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.5)
        return True

    def _running(self) -> list[str]:
        return sorted({name for port, name in self.ports.items() if not _is_free(port, name)})

    def _kill(self, name: str) -> None:
        chosen = f'labels."io.kubernetes.container.name"=={name}'
        here = (self.ctr, "--namespace", "k8s.io")
        try:
            for container in run([*here, "containers", "ls", "--quiet", chosen]).split():
                log.warning("%s is ended without kubelet", name)
                run([*here, "tasks", "kill", "--signal", "SIGKILL", container])
        except (IngotError, OSError) as failed:
            log.warning("%s cannot be ended: %s", name, failed)

    def _stop_kubelet(self) -> None:
        with suppress(CommandFailed):  # where there is none, there is nothing to stop
            run([self.systemctl, "stop", "kubelet.service"])


def _emptied(folder: Path) -> None:
    for one in folder.iterdir() if folder.is_dir() else ():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        else:
            one.unlink()


def _is_free(port: int, name: str) -> bool:
    try:
        for address in _ANY:
            check_free({port: name}, address=address)
    except PortTakenError:
        return False
    return True
