"""Where a copy of the images can come from."""

from __future__ import annotations

from ingot.metal3.cluster.images.sources import urls
from tests.unit.metal3.cluster.seen import pod


def test_only_whole_copies_of_others_are_asked() -> None:
    pods = [
        pod("d", "192.168.111.23"),
        pod("me", "192.168.111.20"),
        pod("incomplete", "192.168.111.21", ready=False),
        pod("going", "192.168.111.22", going=True),
        pod("b", "fd00::7"),
    ]
    assert urls(pods, own="me") == ("http://[fd00::7]:6181", "http://192.168.111.23:6181")
