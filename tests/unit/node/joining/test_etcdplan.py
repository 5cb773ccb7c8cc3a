"""A node's place in etcd, by what kubeadm wrote."""

from __future__ import annotations

from ingot.node.joining.etcdplan import Place, place_in

MANIFEST = """\
spec:
  containers:
  - command:
    - etcd
    - --initial-advertise-peer-urls=https://192.0.2.21:2380
    - --initial-cluster=boot=https://192.0.2.9:2380,cp-1=https://192.0.2.21:2380,b=https://[2001:db8::2]:2380
    - --initial-cluster-state=existing
"""


def test_the_others_are_asked_and_not_oneself() -> None:
    assert place_in(MANIFEST) == Place(
        "https://192.0.2.21:2380", ("https://192.0.2.9:2379", "https://[2001:db8::2]:2379")
    )


def test_what_says_nothing_of_a_cluster_is_no_place() -> None:
    assert place_in("spec: {}") is None
