"""Who holds the VIP, by what the nodes' monitors serve."""

from __future__ import annotations

from ingot.installer.vipholder import address_of, holder_in


def page(*, held: int, heard: str = "", kind: str = "api") -> str:
    lines = [f'ingot_vip_held{{kind="{kind}",vip="192.0.2.5"}} {held}.0']
    if heard:
        lines.append(f'ingot_vip_holder{{kind="{kind}",node="{heard}",vip="192.0.2.5"}} 1.0')
    return "\n".join(["# TYPE ingot_vip_held gauge", *lines, ""])


def test_who_says_that_it_holds_it_is_believed_before_others() -> None:
    """A node that heard the last holder a moment ago still names that one."""
    pages = {"cp-0": page(held=0, heard="lab-bootstrap"), "cp-1": page(held=1, heard="cp-1")}
    assert holder_in(pages) == "cp-1"


def test_where_the_holder_cannot_be_asked_others_have_heard_it() -> None:
    pages = {"cp-0": page(held=0, heard="cp-2"), "cp-1": page(held=0, heard="cp-2")}
    assert holder_in(pages) == "cp-2"


def test_the_vip_of_ingress_is_another() -> None:
    assert holder_in({"cp-0": page(held=1, heard="cp-0", kind="ingress")}) == ""


def test_two_vips_may_be_with_two_nodes() -> None:
    assert holder_in({"cp-1": page(held=1), "cp-0": page(held=1)}) == "cp-0, cp-1"


def test_what_cannot_be_read_says_nothing() -> None:
    assert holder_in({"cp-0": "{]", "cp-1": page(held=1)}) == "cp-1"


def test_nobody_holds_it_where_nobody_says() -> None:
    assert holder_in({}) == ""
    assert holder_in({"cp-0": page(held=0)}) == ""


def test_a_node_is_asked_at_its_internal_address() -> None:
    addresses = [
        {"type": "Hostname", "address": "cp-0"},
        {"type": "InternalIP", "address": "192.0.2.10"},
    ]
    assert address_of({"status": {"addresses": addresses}}) == "192.0.2.10"
    assert address_of({"status": {}}) == ""
