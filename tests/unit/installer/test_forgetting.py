"""What is removed from an install directory, and what is the user's."""

from __future__ import annotations

from ingot.assets.graph.files import digest_of
from ingot.assets.graph.state import ABSENT
from ingot.installer.forgetting import Forgotten, sorted_out


def test_only_what_is_as_we_left_it_is_removed() -> None:
    left = {
        "tls/ca.key": frozenset({digest_of(b"key")}),
        "manifests/60-host.yaml": frozenset({digest_of(b"before"), digest_of(b"after")}),
        "manifests/00-namespaces.yaml": frozenset({digest_of(b"ours")}),
        "auth/kubeconfig": frozenset({ABSENT}),
    }
    found = {
        "tls/ca.key": b"key",
        "manifests/60-host.yaml": b"after",
        "manifests/00-namespaces.yaml": b"changed by somebody",
    }
    assert sorted_out(left, found) == Forgotten(
        removed=("manifests/60-host.yaml", "tls/ca.key"),
        kept=("manifests/00-namespaces.yaml",),
    )
