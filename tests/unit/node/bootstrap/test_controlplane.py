"""What kubeadm is told that only the machine itself knows."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

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
    text = completed(TOLD, address=ip_address("fd00::5"), name="b", patches=Path("/patches"))
    documents = yaml.safe_load_all(text)
    init, cluster, kubelet = documents
    assert init["localAPIEndpoint"]["advertiseAddress"] == "fd00::5"
    assert init["nodeRegistration"]["name"] == "b"
    assert init["nodeRegistration"]["criSocket"].startswith("unix:")
    assert {"name": "node-ip", "value": "fd00::5"} in init["nodeRegistration"]["kubeletExtraArgs"]
    assert cluster["clusterName"] == "on"
    assert init["patches"] == {"directory": "/patches"}
    assert "registerNode" not in kubelet, "it is uploaded, and would hold for every node"
