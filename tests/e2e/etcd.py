"""etcd of a cluster, asked in its own container on a node."""

from __future__ import annotations

import json

from tests.e2e.cluster import Cluster

ETCD = "etcdctl --endpoints=https://127.0.0.1:2379 --cacert={pki}/ca.crt --cert={pki}/server.crt"


def etcd_members(cluster: Cluster, host: str) -> list[str]:
    said = json.loads(cluster.ssh(host, etcd_in_pod("member list -w json")))
    return [one["name"] for one in said["members"] if not one.get("isLearner")]


def etcd_in_pod(words: str) -> str:
    """Return a command that runs etcdctl where it is: in etcd's own container."""
    pki = "/etc/kubernetes/pki/etcd"
    find = "ctr -n k8s.io containers ls | awk '/etcd:/ {print $1}' | tail -1"
    line = f"{ETCD.format(pki=pki)} --key={pki}/server.key {words}"
    return f"ctr -n k8s.io tasks exec --exec-id t$$ $({find}) {line}"
