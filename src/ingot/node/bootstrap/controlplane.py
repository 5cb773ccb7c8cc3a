"""The temporary control plane: kubeadm, with the authorities that the installer made.

The VM is a Node only because kubeadm, when others join, finds etcd by the pods of Nodes. It has a
label and a taint of its own, so that nothing is scheduled to it and nobody takes it for a peer. At
the hand-over it is deleted.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path

import yaml

from ingot.errors import IngotError
from ingot.node import patience
from ingot.node.bootstrap.options import Places
from ingot.node.tolerating import is_uml, tolerated
from ingot.onprem.model import Address
from ingot.onprem.monitor.nodewatch import BOOTSTRAP
from ingot.process import CommandFailed, run

__all__ = ["ControlPlaneError", "initialised"]

log = logging.getLogger(__name__)

SKIPPED = "mark-control-plane,show-join-command"
"""Phases that would make it one of the control plane, or tell people what they need not do."""


class ControlPlaneError(IngotError):
    """kubeadm could not start the temporary control plane."""


async def initialised(
    places: Places, address: Address, name: str, say: Callable[[str], None]
) -> None:
    """Have a control plane on this machine; nothing where kubeadm has finished before.

    Args:
        places: where things are.
        address: this machine's own address.
        name: its name.
        say: told what kubeadm is doing.

    Raises:
        ControlPlaneError: kubeadm failed.
    """
    finished = places.state / "initialised"
    if finished.exists():
        return
    begun = places.state / "initialising"
    config = places.state / "kubeadm.yaml"
    told = (places.told / "kubeadm.yaml").read_text(encoding="utf-8")
    config.touch(mode=0o600)
    patches = places.state / patience.FOLDER if is_uml() else None
    if patches:
        patience.write_patches(patches)
    text = completed(told, address=address, name=name, patches=patches)
    config.write_text(text, encoding="utf-8")
    # What an earlier run left is not in the way of another: certificates and files are taken over.
    ignored = (
        "all"
        if begun.exists()
        else ",".join(("DirAvailable--etc-kubernetes-manifests", *tolerated()))
    )
    begun.touch()
    command = (
        "kubeadm",
        "init",
        f"--config={config}",
        f"--skip-phases={SKIPPED}",
        f"--ignore-preflight-errors={ignored}",
    )

    def tell(line: str) -> None:
        log.info("kubeadm: %s", line)
        if line.startswith("["):
            say(f"kubeadm: {line.partition(']')[0].lstrip('[')}")

    try:
        await asyncio.to_thread(run, command, on_line=tell)
    except CommandFailed as failed:
        raise ControlPlaneError(
            f"kubeadm init failed: {_cause(failed.output)}",
            remedy="see `journalctl -u kubelet -u ingot-bootstrap` on the bootstrap VM",
        ) from failed
    finished.touch()


def completed(told: str, *, address: Address, name: str, patches: Path | None = None) -> str:
    """Return kubeadm's configuration with what only this machine knows."""
    documents = [one for one in yaml.safe_load_all(told) if one]
    for one in documents:
        if one["kind"] == "InitConfiguration":
            one["localAPIEndpoint"] = {"advertiseAddress": str(address), "bindPort": 6443}
            if patches:
                one["patches"] = {"directory": str(patches)}
            node = one.setdefault("nodeRegistration", {})
            node["name"] = name
            node["taints"] = [{"key": BOOTSTRAP, "effect": "NoSchedule"}]
            node.setdefault("kubeletExtraArgs", []).extend(
                (
                    {"name": "node-ip", "value": str(address)},
                    {"name": "node-labels", "value": f"{BOOTSTRAP}="},
                    # No Machine stands for this VM, by which its request could be approved.
                    {"name": "rotate-server-certificates", "value": "false"},
                )
            )
    # JSON is YAML too, and needs no thought about quoting.
    return "".join(f"---\n{json.dumps(one, indent=1)}\n" for one in documents)


def _cause(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it said nothing"])[-1][:500]
