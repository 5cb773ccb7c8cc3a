"""The controllers as a process: it leads by its lease, does its work, and ends when told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi
from tests.ports import free_port


def test_the_program_claims_a_host_and_ends_by_a_signal(
    machine_api: KubeApi, namespace: str
) -> None:
    root = f"/apis/metal3.io/v1alpha1/namespaces/{namespace}/baremetalhosts"
    machines = f"/apis/machine.openshift.io/v1beta1/namespaces/{namespace}/machines"
    machine_api.request(
        "POST",
        root,
        {
            "apiVersion": "metal3.io/v1alpha1",
            "kind": "BareMetalHost",
            "metadata": {"name": "h"},
            "spec": {"online": True},
        },
    )
    machine_api.request(
        "POST",
        machines,
        {
            "apiVersion": "machine.openshift.io/v1beta1",
            "kind": "Machine",
            "metadata": {"name": "m"},
            "spec": {},
        },
    )
    port = free_port()
    program = subprocess.Popen(
        [Path(sys.executable).parent / "ingot-node", "machine-controller"],
        env={
            **os.environ,
            "KUBECONFIG": str(machine_api.kubeconfig()),
            "WATCH_NAMESPACE": namespace,
            "POD_NAMESPACE": namespace,
            "INGOT_HEALTH_PORT": str(port),
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(lambda: _ready(port), within=60, every=0.1)
        found = eventually(lambda: _phase(machine_api, f"{machines}/m"), within=60, every=0.1)
        assert found == "Failed"  # its provider spec is empty
        lease = machine_api.request(
            "GET",
            f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/ingot-machine-controller",
        )
        assert lease["spec"]
        program.send_signal(signal.SIGTERM)
        _, log = program.communicate(timeout=60)
    finally:
        program.kill()
        program.wait(30)
    assert program.returncode == 0, log
    assert "Traceback" not in log


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _phase(api: KubeApi, path: str) -> str | None:
    status = api.request("GET", path).get("status")
    return status.get("phase") if isinstance(status, dict) else None
