"""What a page of metrics tells other nodes."""

from __future__ import annotations

from ipaddress import ip_address

from ingot.onprem.monitor.metrics import lists

PAGE = """\
# HELP ingot_vip_listed 1 for each address that adverts go to from here
ingot_vip_listed{address="10.9.0.12",vip="10.9.0.100"} 1.0
ingot_vip_listed{vip="10.9.0.101",address="10.9.0.13"} 1.0
"""
VIP, OTHER_VIP = ip_address("10.9.0.100"), ip_address("10.9.0.101")


def test_a_page_tells_whom_a_node_lists_for_each_vip() -> None:
    assert lists(PAGE, VIP, ip_address("10.9.0.12"))
    assert lists(PAGE, OTHER_VIP, ip_address("10.9.0.13"))
    assert not lists(PAGE, VIP, ip_address("10.9.0.13"))
    assert not lists(PAGE, VIP, ip_address("10.9.0.1"))
    assert not lists("", VIP, ip_address("10.9.0.12"))
    assert not lists(PAGE.replace(" 1.0", " what"), VIP, ip_address("10.9.0.12"))
