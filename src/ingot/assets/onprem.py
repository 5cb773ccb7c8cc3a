"""The monitor of a node's network: what it is told, and the static pod that runs it.

The file is the same on all nodes of a role: a node's name is its host name.
docs/reference/onprem-monitor.md has the keys.
"""

from __future__ import annotations

import json
from typing import Final

from ingot.assets.documents import Json, yaml_of
from ingot.assets.endpoints import bootstrap_name
from ingot.assets.namespaces import INFRA
from ingot.assets.nmstate import node_addresses
from ingot.assets.payload import Payload
from ingot.assets.roster import roster
from ingot.config.model import InstallConfig
from ingot.config.model.words import DnsRecordsType
from ingot.onprem.model import Role
from ingot.onprem.monitor.options import METRICS_PORT, VARIABLE

__all__ = ["NAME", "OPTIONS", "onprem_json", "static_pod", "static_pod_yaml"]

NAME: Final = "onprem"
OPTIONS: Final = "/etc/ingot/onprem.json"
DONE: Final = "/var/lib/ingot/bootstrap/done"
HOST_ETC: Final = "/host/etc"
"""The machine's own /etc: kubelet gives a container another /etc/resolv.conf, and the monitor
replaces the machine's."""

KUBECONFIGS: Final = {
    Role.BOOTSTRAP: "/etc/kubernetes/admin.conf",
    Role.CONTROL_PLANE: "/etc/kubernetes/kubelet.conf",
    Role.WORKER: "/etc/kubernetes/kubelet.conf",
}

GRACE_SECONDS: Final = 65
"""The bootstrap gives its VIP up in an orderly way, which may take a minute."""


def onprem_json(config: InstallConfig, role: Role) -> bytes:
    """Return the options file of a role."""
    platform = config.baremetal
    said: Json = {
        "cluster": {
            "name": config.metadata.name,
            "domain": config.cluster_domain,
            "apiVIPs": [str(vip) for vip in platform.api_vips],
            "ingressVIPs": [str(vip) for vip in platform.ingress_vips],
            "userManagedLoadBalancer": platform.vips_are_user_managed,
            "externalDNS": platform.dns_records_type is DnsRecordsType.EXTERNAL,
            "dnsClients": [str(network) for network in config.networking.cluster_cidrs],
        },
        "node": {"role": role.value},
        "planned": planned(config),
        "kubeconfig": KUBECONFIGS[role],
        "resolver": {"path": f"{HOST_ETC}/resolv.conf"},
    }
    if role is Role.BOOTSTRAP:
        said["node"]["name"] = bootstrap_name(config)
        said["doneFile"] = DONE
    return (json.dumps(said, indent=2) + "\n").encode()


def planned(config: InstallConfig) -> list[Json]:
    """Return the nodes whose addresses are known beforehand."""
    roles = roster(config)
    return [
        {
            "name": host.name,
            "role": (Role.CONTROL_PLANE if roles.leads(host) else Role.WORKER).value,
            "addresses": [str(address) for address in addresses],
        }
        for host in roles.all
        if (addresses := node_addresses(config, host))
    ]


def static_pod_yaml(payload: Payload, role: Role) -> bytes:
    """Return the static pod's file."""
    return yaml_of(static_pod(payload, role))


def static_pod(payload: Payload, role: Role) -> Json:
    """Return the static pod of a role."""
    volumes = {
        "ingot": ("/etc/ingot", "/etc/ingot", True),
        "kubernetes": ("/etc/kubernetes", "/etc/kubernetes", True),
        "etc": ("/etc", HOST_ETC, False),
        "run": ("/run/ingot-onprem", "/run/ingot-onprem", False),
        "netif": ("/run/systemd/netif", "/run/systemd/netif", True),
        "state": ("/var/lib/ingot", "/var/lib/ingot", False),
        "pods": ("/var/log/pods", "/var/log/pods", True),
    }
    if role is not Role.BOOTSTRAP:  # The kubelet's kubeconfig names its certificate there.
        volumes["kubelet-pki"] = ("/var/lib/kubelet/pki", "/var/lib/kubelet/pki", True)
    container: Json = {
        "name": NAME,
        "image": payload.onprem,
        "imagePullPolicy": "IfNotPresent",
        "command": ["ingot-node", "onprem"],
        "env": [{"name": VARIABLE, "value": OPTIONS}],
        "livenessProbe": {
            "httpGet": {"host": "127.0.0.1", "port": METRICS_PORT, "path": "/healthz"},
            "initialDelaySeconds": 60,
            "periodSeconds": 20,
            "timeoutSeconds": 10,
            "failureThreshold": 9,
        },
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}},
        # Addresses, nftables, raw sockets and real-time scheduling could be had by capabilities;
        # the kernel's settings below /proc/sys/net, which are read-only otherwise, could not.
        "securityContext": {"privileged": True},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": name, "mountPath": inside, "readOnly": fixed}
            for name, (_, inside, fixed) in volumes.items()
        ],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": NAME,
            "namespace": INFRA,
            "labels": {
                "app.kubernetes.io/name": NAME,
                "app.kubernetes.io/part-of": "ingot",
            },
        },
        "spec": {
            "hostNetwork": True,
            "dnsPolicy": "Default",
            "enableServiceLinks": False,
            "priorityClassName": "system-node-critical",
            "terminationGracePeriodSeconds": GRACE_SECONDS,
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
            "volumes": [
                {"name": name, "hostPath": {"path": outside, "type": "DirectoryOrCreate"}}
                for name, (outside, _, _) in volumes.items()
            ],
        },
    }
