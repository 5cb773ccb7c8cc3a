"""The workers of a cluster in the lab, as an administrator sees and changes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from ingot.lab.plan import HostPlan
from ingot.payload.ourimages import ONPREM
from tests.e2e.cluster import Cluster
from tests.e2e.site import eventually

ADDED = "spare-0"
"""The host that the install does not know of."""
FILES = Path(__file__).parent / "files"
NAMESPACE = ("-n", "metal3")
DELETE_FIRST = "machine.openshift.io/delete-machine="
HOST = "metal3.io/BareMetalHost"

INSTALLED_SECONDS = 1200
"""Until a server is a ready node: boots, an image of gigabytes, and a join, on a busy machine."""
GIVEN_BACK_SECONDS = 900

Json = dict[str, Any]


@dataclass(frozen=True)
class Workers:
    """All workers.

    What is asked returns nothing while the API is away for a moment, as it is when a VIP moves.
    """

    cluster: Cluster

    @property
    def machine_set(self) -> str:
        return f"{self.cluster.lab.plan.cluster_name}-worker-0"

    def scale(self, replicas: int) -> None:
        self.cluster.kubectl(
            *NAMESPACE, "scale", "machineset", self.machine_set, f"--replicas={replicas}"
        )

    def look(self, *words: str) -> Json | None:
        """Return objects, or None where they are not there or nobody answers."""
        done = self.cluster.try_kubectl("get", *words, "-o", "json")
        found: Json | None = json.loads(done.stdout) if done.returncode == 0 else None
        return found

    def machines(self) -> dict[str, Json]:
        """Return the Machines of workers by their hosts; those without one by their own names."""
        found = self.look(*NAMESPACE, "machines") or {"items": []}
        of_set = [one for one in found["items"] if one["metadata"].get("ownerReferences")]
        return {_host_of(one) or one["metadata"]["name"]: one for one in of_set}

    def host(self, name: str) -> Json:
        return self.look(*NAMESPACE, f"baremetalhost/{name}") or {}

    def state(self, name: str) -> str:
        said: str = self.host(name).get("status", {}).get("provisioning", {}).get("state", "")
        return said

    def ready(self) -> set[str] | None:
        """Return the names of workers that are ready nodes; None while nobody answers."""
        nodes = self.look("nodes", "-l", "node-role.kubernetes.io/worker")
        return None if nodes is None else {name_of(one) for one in nodes["items"] if is_ready(one)}

    def nodes(self) -> set[str] | None:
        nodes = self.look("nodes")
        return None if nodes is None else {name_of(one) for one in nodes["items"]}

    def await_ready(self, *names: str, seconds: float = INSTALLED_SECONDS) -> None:
        """Wait until these workers are ready nodes, and no others are."""
        eventually(lambda: self.ready() == set(names) or None, within=seconds, every=2)

    def await_free(self, name: str, *, seconds: float = GIVEN_BACK_SECONDS) -> None:
        """Wait until a host is available, and nobody's."""

        def free() -> bool:
            found = self.host(name)
            return self.state(name) == "available" and "consumerRef" not in found["spec"]

        eventually(free, within=seconds, every=2)

    def mark_for_deletion(self, host: str) -> None:
        """Have a host's Machine be the first that goes."""
        machine = self.machines()[host]["metadata"]["name"]
        self.cluster.kubectl(*NAMESPACE, "annotate", "machine", machine, DELETE_FIRST)

    def events(self, kind: str, name: str) -> list[str]:
        """Return the reasons and messages of an object's events."""
        chosen = f"involvedObject.kind={kind},involvedObject.name={name}"
        found = self.look(*NAMESPACE, "events", "--field-selector", chosen) or {"items": []}
        return [f"{one['reason']}: {one.get('message', '')}" for one in found["items"]]

    def add_by_hand(self, host: HostPlan, *, labels: dict[str, str] | None = None) -> None:
        """Make a BareMetalHost as the guide tells, with the Secret of its BMC."""
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": f"{host.name}-bmc", "namespace": "metal3"},
            "stringData": {"username": host.bmc.username, "password": host.bmc.password},
        }
        spec = {
            "online": True,
            "bootMACAddress": str(host.nics[0].mac),
            "bootMode": "legacy",
            "rootDeviceHints": {"deviceName": "/dev/ubda"},
            "bmc": {
                "address": f"redfish://{host.bmc.address}/redfish/v1/Systems/{host.uuid}",
                "credentialsName": f"{host.name}-bmc",
                "disableCertificateVerification": True,
            },
        }
        made = {
            "apiVersion": "metal3.io/v1alpha1",
            "kind": "BareMetalHost",
            "metadata": {"name": host.name, "namespace": "metal3", "labels": labels or {}},
            "spec": spec,
        }
        for one in (secret, made):
            self.cluster.kubectl("apply", "-f", "-", stdin=json.dumps(one))

    def open_shop(self) -> None:
        """Publish an application of two pods behind an Ingress."""
        text = (FILES / "shop.yaml").read_text(encoding="utf-8")
        pods = text.replace("@IMAGE@", ONPREM).replace("@DOMAIN@", self.domain)
        self.cluster.kubectl("apply", "-f", "-", stdin=pods)

    def shop_answers(self) -> bool:
        """Ask for the application by its name, at the ingress VIP, as somebody outside."""
        vip = self.cluster.lab.plan.networks.ingress_vip
        try:
            with httpx2.Client(trust_env=False, timeout=10) as client:
                asked = client.get(f"http://{vip}/", headers={"Host": f"shop.apps.{self.domain}"})
        except httpx2.HTTPError:
            return False
        return asked.status_code == httpx2.codes.OK and "Directory listing" in asked.text

    @property
    def domain(self) -> str:
        plan = self.cluster.lab.plan
        return f"{plan.cluster_name}.{plan.base_domain}"


def name_of(found: Json) -> str:
    name: str = found["metadata"]["name"]
    return name


def is_ready(node: Json) -> bool:
    conditions = node["status"].get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _host_of(machine: Json) -> str:
    said: str = machine["metadata"].get("annotations", {}).get(HOST, "")
    return said.partition("/")[2]
