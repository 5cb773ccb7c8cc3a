"""Trees as tars: made from a table, and read back by the rules of the OCI image specification."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

CAPABILITY = "SCHILY.xattr.security.capability"
NET_BIND = "\x01\x00\x00\x02\x00\x04" + "\x00" * 14
"""What a tar holds of `cap_net_bind_service=ep`."""


@dataclass(frozen=True)
class Node:
    """One path of a tree."""

    kind: bytes = tarfile.REGTYPE
    content: bytes = b""
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    target: str = ""
    capability: str = ""
    same_as: str = ""
    """The path of which this is another name."""


Tree = Mapping[str, Node]


def folder(mode: int = 0o755, uid: int = 0) -> Node:
    return Node(tarfile.DIRTYPE, mode=mode, uid=uid)


def file(content: bytes, mode: int = 0o644, capability: str = "") -> Node:
    return Node(content=content, mode=mode, capability=capability)


def symlink(target: str) -> Node:
    return Node(tarfile.SYMTYPE, mode=0o777, target=target)


def same_as(path: str) -> Node:
    return Node(tarfile.LNKTYPE, same_as=path)


def write_tree(tree: Tree, to: Path, *, mtime: int = 1_700_000_000, start: str = "./") -> Path:
    """Write a tar as Debian's tools do: in the given order, with times and names of owners."""
    with tarfile.open(to, "w", format=tarfile.PAX_FORMAT) as archive:
        for path, node in tree.items():
            member = tarfile.TarInfo(f"{start}{path}")
            member.type, member.mode, member.mtime = node.kind, node.mode, mtime
            member.uid, member.gid, member.uname, member.gname = node.uid, node.gid, "who", "who"
            member.linkname = f"{start}{node.same_as}" if node.same_as else node.target
            member.size = len(node.content)
            member.pax_headers = {CAPABILITY: node.capability} if node.capability else {}
            archive.addfile(member, io.BytesIO(node.content))
    return to


def read_layer(tar: Path) -> dict[str, Node]:
    """Return what a layer says of each path, whiteouts included, in its order."""
    found: dict[str, Node] = {}
    with tarfile.open(tar, "r:") as archive:
        for member in archive:
            if member.islnk():  # its mode and owner are the file's
                found[member.name] = same_as(member.linkname)
                continue
            stream = archive.extractfile(member) if member.isreg() else None
            found[member.name] = Node(
                kind=member.type,
                content=stream.read() if stream else b"",
                mode=member.mode,
                uid=member.uid,
                gid=member.gid,
                target=member.linkname if member.issym() else "",
                capability=member.pax_headers.get(CAPABILITY, ""),
            )
    return found


class Disk:
    """A tree with inodes, so that two names of one file are told from two equal files."""

    def __init__(self) -> None:
        self.inodes: dict[int, Node] = {}
        self.paths: dict[str, int] = {}

    def apply(self, layer: Mapping[str, Node]) -> None:
        """Apply a layer as containerd does, entry by entry."""
        for path, node in layer.items():
            above, _, name = path.rpartition("/")
            if name.startswith(".wh."):
                self._remove(f"{above}/{name[4:]}".lstrip("/"))
                continue
            if above:
                assert self._node(above).kind == tarfile.DIRTYPE, f"{path} is not in a folder"
            if node.same_as:
                number = self.paths[node.same_as]
                self._remove(path)
                self.paths[path] = number
                continue
            both_folders = (
                path in self.paths
                and node.kind == tarfile.DIRTYPE
                and self._node(path).kind == tarfile.DIRTYPE
            )
            if not both_folders:
                self._remove(path)
            number = len(self.inodes)
            self.inodes[number] = node
            self.paths[path] = number

    def _node(self, path: str) -> Node:
        return self.inodes[self.paths[path]]

    def _remove(self, path: str) -> None:
        for found in [one for one in self.paths if one == path or one.startswith(f"{path}/")]:
            del self.paths[found]

    def seen(self) -> dict[str, tuple[Node, frozenset[str]]]:
        """Return each path with what it is, and every name of it."""
        names: dict[int, set[str]] = {}
        for path, number in self.paths.items():
            names.setdefault(number, set()).add(path)
        return {
            path: (replace(self.inodes[number], same_as=""), frozenset(names[number]))
            for path, number in self.paths.items()
        }
