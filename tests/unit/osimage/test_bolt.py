"""bbolt databases come out as they went in, and always the same."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.debian.tree import EPOCH
from ingot.errors import IngotError
from ingot.osimage.bolt import Bucket, read_database, write_database
from ingot.osimage.imagestore import settle

keys = st.binary(min_size=1, max_size=40)


def buckets(depth: int) -> st.SearchStrategy[Bucket]:
    below = st.dictionaries(keys, buckets(depth - 1), max_size=3) if depth else st.just({})
    return st.builds(
        _bucket,
        st.integers(0, 2**64 - 1),
        st.dictionaries(keys, st.binary(max_size=6000), max_size=5),
        below,
    )


def _bucket(sequence: int, values: dict[bytes, bytes], below: dict[bytes, Bucket]) -> Bucket:
    # A key holds a value or a bucket, never both.
    return Bucket(sequence, {key: values[key] for key in values if key not in below}, below)


@given(buckets(3))
def test_what_is_written_is_read(bucket: Bucket) -> None:
    assert read_database(write_database(bucket)) == bucket


def test_order_of_insertion_does_not_show() -> None:
    one = Bucket(values={b"a": b"1", b"b": b"2"})
    other = Bucket(values={b"b": b"2", b"a": b"1"})
    assert write_database(one) == write_database(other)


def test_buckets_within_a_page_and_trees_of_pages_are_read() -> None:
    """As bbolt writes them: small buckets inline, large ones below a branch page."""

    def page(number: int, flags: int, count: int, content: bytes) -> bytes:
        return (struct.pack("<QHHI", number, flags, count, 0) + content).ljust(4096, b"\0")

    def leaf(number: int, key: bytes, value: bytes, *, flags: int = 0) -> bytes:
        element = struct.pack("<IIII", flags, 16, len(key), len(value))
        return page(number, 2, 1, element + key + value)

    inline = struct.pack("<QQ", 0, 7) + struct.pack("<QHHI", 0, 2, 1, 0)
    inline += struct.pack("<IIII", 0, 16, 1, 1) + b"kv"
    branch = struct.pack("<IIQ", 32, 1, 4) + struct.pack("<IIQ", 17, 1, 5) + b"ab"

    def meta(number: int) -> bytes:
        content = struct.pack("<IIIIQQQQQQ", 0xED0CDAED, 2, 4096, 0, 3, 0, 2, 6, number, 0)
        return page(number, 4, 0, content)

    data = b"".join(
        (
            meta(0),
            meta(1),
            page(2, 16, 0, b""),
            page(3, 1, 2, branch),
            leaf(4, b"a", b"value"),
            leaf(5, b"b", inline, flags=1),
        )
    )
    expected = Bucket(
        values={b"a": b"value"}, buckets={b"b": Bucket(sequence=7, values={b"k": b"v"})}
    )
    assert read_database(data) == expected


def test_anything_else_is_refused() -> None:
    with pytest.raises(IngotError, match="not a bbolt database"):
        read_database(b"\0" * 8192)


def test_times_and_leases_are_forgotten() -> None:
    image = Bucket(values={b"createdat": b"whenever", b"name": b"pause"})
    contents = Bucket(buckets={b"leases": Bucket(values={b"id": b"random"}), b"image": image})
    settle(contents)
    assert b"leases" not in contents.buckets
    assert image.values[b"name"] == b"pause"
    version, seconds, nanoseconds, zone = struct.unpack(">BQIh", image.values[b"createdat"])
    assert (version, seconds - 62_135_596_800, nanoseconds, zone) == (1, EPOCH, 0, -1)
