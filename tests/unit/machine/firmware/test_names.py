"""Questions to and answers of DNS servers are as RFC 1035 has them."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.machine.firmware.names import NameUnknown, address_of, answer_of, question_for

QUESTION = b"\x04boot\x07example\x03com\0\0\x01\0\x01"


def test_question_asks_for_one_name() -> None:
    asked = question_for("boot.example.com", 0x1234)
    assert asked == b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0" + QUESTION


def test_address_is_found_behind_an_alias() -> None:
    alias = b"\xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x06\x03www\xc0\x11"
    address = b"\x03www\xc0\x11\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x07"
    answer = b"\x12\x34\x81\x80\0\x01\0\x02\0\0\0\0" + QUESTION + alias + address
    assert answer_of(answer) == IPv4Address("192.0.2.7")


def test_answer_without_an_address_is_none() -> None:
    assert answer_of(b"\x12\x34\x81\x83\0\x01\0\0\0\0\0\0" + QUESTION) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_none(packet: bytes) -> None:
    assert answer_of(packet) is None or isinstance(answer_of(packet), IPv4Address)


def test_address_needs_no_server() -> None:
    assert address_of("192.0.2.1", ()) == "192.0.2.1"


def test_name_without_a_server_is_unknown() -> None:
    with pytest.raises(NameUnknown, match="DHCP gave no DNS server"):
        address_of("boot.example.com", ())
