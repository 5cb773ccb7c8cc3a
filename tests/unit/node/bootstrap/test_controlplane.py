"""What kubeadm is told that only the machine itself knows."""

from __future__ import annotations

from ipaddress import ip_address

import yaml

from ingot.node.bootstrap.controlplane import completed

TOLD = """\
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration:
  criSocket: unix:///run/containerd/containerd.sock
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
clusterName: "on"
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
"""


def test_address_and_name_are_added() -> None:
    documents = yaml.safe_load_all(completed(TOLD, address=ip_address("fd00::5"), name="b"))
    init, cluster, kubelet = documents
    assert init["localAPIEndpoint"]["advertiseAddress"] == "fd00::5"
    assert init["nodeRegistration"]["name"] == "b"
    assert init["nodeRegistration"]["criSocket"].startswith("unix:")
    assert {"name": "node-ip", "value": "fd00::5"} in init["nodeRegistration"]["kubeletExtraArgs"]
    assert cluster["clusterName"] == "on"
    assert init["nodeRegistration"]["taints"] == [
        {"key": "ingot.local/bootstrap", "effect": "NoSchedule"}
    ]
    assert kubelet["kind"] == "KubeletConfiguration"
