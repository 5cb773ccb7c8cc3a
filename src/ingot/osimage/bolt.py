"""bbolt databases, read and written whole: containerd keeps what it knows of images in them.

containerd's own files differ from run to run: by time stamps, by what earlier transactions left in
unused pages, and by where things came to lie. Written anew from what they say, they do not. The
format: https://github.com/etcd-io/bbolt/blob/main/internal/common. Every bucket is written as one
leaf, however long, which bbolt reads as well as a tree and splits when it next writes to it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingot.errors import IngotError

__all__ = ["Bucket", "read_database", "write_database"]

PAGE_SIZE = 4096
MAGIC = 0xED0CDAED
VERSION = 2

PAGE = struct.Struct("<QHHI")  # number, flags, count of elements, pages it goes on for
META = struct.Struct("<IIIIQQQQQ")  # magic … root, sequence, free list, pages in use, transaction
LEAF = struct.Struct("<IIII")  # flags, distance to the key, length of key, length of value
BRANCH = struct.Struct("<IIQ")  # distance to the key, length of key, page
HEADER = struct.Struct("<QQ")  # of a bucket: its page (0: it follows at once), sequence

IS_BRANCH, IS_LEAF, IS_META, IS_FREE_LIST = 0x01, 0x02, 0x04, 0x10
IS_BUCKET = 0x01


@dataclass
class Bucket:
    """Keys with values, and buckets within."""

    sequence: int = 0
    values: dict[bytes, bytes] = field(default_factory=dict)
    buckets: dict[bytes, Bucket] = field(default_factory=dict)

    def walk(self) -> Iterator[Bucket]:
        """Return this bucket and all below it."""
        yield self
        for bucket in self.buckets.values():
            yield from bucket.walk()


def read_database(data: bytes) -> Bucket:
    """Return what a database holds."""
    size = META.unpack_from(data, PAGE.size)[2]
    metas = [META.unpack_from(data, page * size + PAGE.size) for page in (0, 1)]
    metas = [meta for meta in metas if meta[:2] == (MAGIC, VERSION)]
    if not metas:
        raise IngotError("this is not a bbolt database of version 2")
    newest = max(metas, key=lambda meta: meta[8])
    return _Reader(data, size).bucket(root=newest[4], sequence=newest[5])


@dataclass(frozen=True)
class _Reader:
    data: bytes
    page_size: int

    def bucket(self, *, root: int, sequence: int, inline: int = 0) -> Bucket:
        bucket = Bucket(sequence)
        self._fill(bucket, inline if root == 0 else root * self.page_size)
        return bucket

    def _fill(self, bucket: Bucket, page: int) -> None:
        _, flags, count, _ = PAGE.unpack_from(self.data, page)
        for index in range(count):
            if flags & IS_BRANCH:
                element = page + PAGE.size + index * BRANCH.size
                child = BRANCH.unpack_from(self.data, element)[2]
                self._fill(bucket, child * self.page_size)
                continue
            element = page + PAGE.size + index * LEAF.size
            kind, distance, key_size, value_size = LEAF.unpack_from(self.data, element)
            start = element + distance
            key = self.data[start : start + key_size]
            value = start + key_size
            if kind & IS_BUCKET:
                root, sequence = HEADER.unpack_from(self.data, value)
                bucket.buckets[key] = self.bucket(
                    root=root, sequence=sequence, inline=value + HEADER.size
                )
            else:
                bucket.values[key] = self.data[value : value + value_size]


def write_database(root: Bucket) -> bytes:
    """Return a database that holds a bucket; the same bucket always gives the same bytes."""
    writer = _Writer()
    top = writer.add(root)
    free_list = writer.append(IS_FREE_LIST, 0, b"")
    metas = [
        writer.page(number, IS_META, 0, _meta(top, root.sequence, free_list, writer.next, number))
        for number in (0, 1)
    ]
    return b"".join([*metas, *writer.pages])


class _Writer:
    def __init__(self) -> None:
        self.pages: list[bytes] = []
        self.next = 2  # after the two meta pages

    def add(self, bucket: Bucket) -> int:
        """Write a bucket with all below it; return its page."""
        entries = [(key, 0, value) for key, value in bucket.values.items()]
        for key, inner in bucket.buckets.items():
            entries.append((key, IS_BUCKET, HEADER.pack(self.add(inner), inner.sequence)))
        entries.sort()
        elements, content = b"", b""
        for index, (key, kind, value) in enumerate(entries):
            distance = (len(entries) - index) * LEAF.size + len(content)
            elements += LEAF.pack(kind, distance, len(key), len(value))
            content += key + value
        return self.append(IS_LEAF, len(entries), elements + content)

    def append(self, flags: int, count: int, content: bytes) -> int:
        number = self.next
        page = self.page(number, flags, count, content)
        self.pages.append(page)
        self.next += len(page) // PAGE_SIZE
        return number

    @staticmethod
    def page(number: int, flags: int, count: int, content: bytes) -> bytes:
        pages = -(-(PAGE.size + len(content)) // PAGE_SIZE)
        page = PAGE.pack(number, flags, count, pages - 1) + content
        return page.ljust(pages * PAGE_SIZE, b"\0")


def _meta(root: int, sequence: int, free_list: int, pages: int, transaction: int) -> bytes:
    meta = META.pack(
        MAGIC, VERSION, PAGE_SIZE, 0, root, sequence, free_list, pages, transaction
    )  # fmt: skip
    return meta + struct.pack("<Q", _fnv1a(meta))


def _fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value
