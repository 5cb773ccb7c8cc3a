"""DHCP messages are written and read as RFC 2131 has them."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.dhcp.message import Kind, Malformed, Message, Option
from ingot.machine.firmware.dhcp.identity import Identity
from ingot.machine.model import BootMode, MacAddress

MAC = bytes.fromhex("525400000001")
UUID = "8f5c9a52-3f0e-4f0f-8b7e-0a1b2c3d4e5f"


def reply(**fields: object) -> Message:
    return Message(reply=True, transaction=7, mac=MAC, **fields)  # type: ignore[arg-type]


def test_message_has_its_fields_where_they_belong() -> None:
    raw = Message(
        reply=False, transaction=0x01020304, mac=MAC, options={53: bytes((Kind.DISCOVER,))}
    ).encode()
    assert raw[:8] == bytes((1, 1, 6, 0, 1, 2, 3, 4))
    assert raw[10:12] == b"\x80\0"  # Answers shall be broadcasts.
    assert raw[28:34] == MAC
    assert raw[236:244] == b"\x63\x82\x53\x63\x35\x01\x01\xff"
    assert len(raw) >= 300


@given(
    st.binary(max_size=100).map(lambda raw: raw.rstrip(b"\0")),
    st.dictionaries(st.sampled_from([1, 3, 6, 43, 67]), st.binary(max_size=255), max_size=4),
)
def test_what_is_written_is_read(file: bytes, options: dict[int, bytes]) -> None:
    written = reply(file=file, address=IPv4Address("192.0.2.7"), options=options)
    assert Message.decode(written.encode()) == written


@given(st.binary(max_size=600))
def test_anything_is_a_message_or_malformed(raw: bytes) -> None:
    padded = raw.ljust(236, b"\0")[:236] + b"\x63\x82\x53\x63" + raw[236:]
    for packet in (raw, padded):
        try:
            Message.decode(packet)
        except Malformed:
            continue


def test_options_may_go_on_in_the_old_fields() -> None:
    raw = bytearray(reply().encode())
    raw[240:246] = bytes((52, 1, 3, 255, 0, 0))
    raw[44:48] = bytes((15, 1, ord("d"), 255))
    raw[108:113] = bytes((67, 2, ord("a"), ord("b"), 255))
    message = Message.decode(bytes(raw))
    assert (message.boot_file, message.text(Option.DOMAIN)) == ("ab", "d")
    assert (message.file, message.server_name) == (b"", b"")


def test_option_that_comes_twice_is_one() -> None:
    head = reply().encode()[:240]
    message = Message.decode(head + b"\x43\x02ab" + b"\x43\x02cd" + b"\xff")
    assert message.boot_file == "abcd"


@pytest.mark.parametrize(
    ("fields", "server", "file"),
    [
        ({"next_server": IPv4Address("192.0.2.1"), "file": b"old"}, "192.0.2.1", "old"),
        ({"options": {66: b"server", 67: b"new\0"}, "file": b"old"}, "server", "new"),
        ({"options": {54: bytes((192, 0, 2, 9))}}, "192.0.2.9", ""),
        ({"server_name": b"old-name\0", "file": b"x"}, "old-name", "x"),
        ({}, "", ""),
    ],
)
def test_boot_server_and_file_are_found(fields: dict[str, object], server: str, file: str) -> None:
    message = reply(**fields)
    assert (message.boot_server, message.boot_file) == (server, file)


def test_lists_of_addresses_are_read() -> None:
    message = reply(options={6: struct.pack("!4B4B", 192, 0, 2, 1, 192, 0, 2, 2)})
    assert message.addresses(Option.DNS) == (IPv4Address("192.0.2.1"), IPv4Address("192.0.2.2"))


@pytest.mark.parametrize(
    ("mode", "number", "vendor"),
    [
        (BootMode.LEGACY, b"\0\0", b"PXEClient:Arch:00000:UNDI:002001"),
        (BootMode.UEFI, b"\0\x07", b"PXEClient:Arch:00007:UNDI:002001"),
    ],
)
def test_boot_rom_says_its_architecture(mode: BootMode, number: bytes, vendor: bytes) -> None:
    identity = Identity(mac=MacAddress("52:54:00:00:00:01"), uuid=UUID, mode=mode)
    options = identity.options()
    assert (options[93], options[60], options[94]) == (number, vendor, b"\x01\x02\x01")
    assert options[97] == bytes.fromhex("00529a5c8f0e3f0f4f8b7e0a1b2c3d4e5f")
    assert {66, 67, 43, 60, 175} <= set(options[55])
    assert identity.hardware_address == MAC
    assert not {77, 175} & set(options)


def test_ipxe_says_that_it_is() -> None:
    identity = Identity(
        mac=MacAddress("52:54:00:00:00:01"), uuid=UUID, mode=BootMode.LEGACY, is_ipxe=True
    )
    options = identity.options()
    assert options[77] == b"iPXE"
    assert options[175].startswith(b"\x13\x01\x01")
    assert options[60].startswith(b"PXEClient")
