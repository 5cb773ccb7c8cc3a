"""Layers come out the same whenever they are made, and lead from one tree to another."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingot.debian.tree import EPOCH
from ingot.errors import IngotError
from ingot.payload.layer import Layer, Symlink, layer_between, layer_of_files, layer_of_tar
from tests.unit.payload.trees import (
    NET_BIND,
    Disk,
    Node,
    Tree,
    file,
    folder,
    read_layer,
    same_as,
    symlink,
    write_tree,
)

TREE: Tree = {
    "usr": folder(),
    "usr/bin": folder(),
    "usr/bin/ping": file(b"ping", 0o755, capability=NET_BIND),
    "bin": symlink("usr/bin"),
    "tmp": folder(0o1777),
    "etc": folder(),
    "etc/Főtanúsítvány.crt": file("é".encode()),
    "usr/bin/sudo": file(b"sudo", 0o4755),
    "usr/bin/perl": file(b"perl", 0o755),
    "usr/bin/perl5": same_as("usr/bin/perl"),
}


def test_a_layer_says_what_the_tree_says(tmp_path: Path) -> None:
    layer = layer_of_tar(write_tree(TREE, tmp_path / "tree.tar"), tmp_path / "layer.tar")
    assert read_layer(layer.path) == dict(sorted(TREE.items()))


def test_a_layer_does_not_depend_on_order_time_or_spelling(tmp_path: Path) -> None:
    links = {path: node for path, node in TREE.items() if node.same_as}
    turned = {path: node for path, node in reversed(list(TREE.items())) if not node.same_as} | links
    one = layer_of_tar(write_tree(TREE, tmp_path / "1.tar"), tmp_path / "1.layer")
    other = layer_of_tar(
        write_tree(turned, tmp_path / "2.tar", mtime=7, start="/"), tmp_path / "2.layer"
    )
    assert one.digest == other.digest


def test_a_layer_knows_its_own_digest_and_size(tmp_path: Path) -> None:
    layer = layer_of_tar(write_tree(TREE, tmp_path / "tree.tar"), tmp_path / "layer.tar")
    content = layer.path.read_bytes()
    assert layer.digest == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert layer.size == len(content)
    assert Layer.at(layer.path) == layer


def test_times_are_fixed_and_owners_are_numbers(tmp_path: Path) -> None:
    tree = {"file": Node(content=b"x", uid=1000, gid=2_500_000)}
    layer = layer_of_tar(write_tree(tree, tmp_path / "tree.tar"), tmp_path / "layer.tar")
    with tarfile.open(layer.path) as archive:
        (member,) = archive.getmembers()
    assert (member.mtime, member.uname, member.gname) == (EPOCH, "", "")
    assert (member.uid, member.gid) == (1000, 2_500_000)


def test_an_attribute_that_is_no_text_is_kept(tmp_path: Path) -> None:
    raw = b"\x01\x00\x00\x02\xff\xfe\n\x00".decode("utf-8", "surrogateescape")
    tree = {"ping": file(b"ping", capability=raw)}
    layer = layer_of_tar(write_tree(tree, tmp_path / "tree.tar"), tmp_path / "layer.tar")
    assert read_layer(layer.path)["ping"].capability == raw


def test_what_is_not_wanted_is_left_out(tmp_path: Path) -> None:
    tree = {"var": folder(), "var/log": folder(), "var/log/dpkg.log": file(b"now"), "a": file(b"")}
    layer = layer_of_tar(
        write_tree(tree, tmp_path / "tree.tar"), tmp_path / "layer.tar", without=["var/log/*"]
    )
    assert list(read_layer(layer.path)) == ["a", "var", "var/log"]


def test_files_are_placed_with_the_folders_that_lead_to_them(tmp_path: Path) -> None:
    (tmp_path / "etcd").write_bytes(b"program")
    layer = layer_of_files(
        {"usr/local/bin/etcd": tmp_path / "etcd", "bin/etcd": Symlink("/usr/local/bin/etcd")},
        tmp_path / "layer.tar",
        folders={"tmp": 0o1777},
    )
    assert read_layer(layer.path) == {
        "bin": folder(),
        "bin/etcd": symlink("/usr/local/bin/etcd"),
        "tmp": folder(0o1777),
        "usr": folder(),
        "usr/local": folder(),
        "usr/local/bin": folder(),
        "usr/local/bin/etcd": file(b"program", 0o755),
    }


ETC: Tree = {"etc": folder(), "etc/a": file(b"a"), "etc/b": file(b"b")}


@pytest.mark.parametrize(
    ("base", "full", "layer"),
    [
        pytest.param(ETC, ETC, {}, id="nothing changed"),
        pytest.param(
            ETC,
            {**ETC, "etc/c": file(b"c")},
            {"etc": folder(), "etc/c": file(b"c")},
            id="a file is new",
        ),
        pytest.param(
            ETC,
            {**ETC, "etc/b": file(b"B")},
            {"etc": folder(), "etc/b": file(b"B")},
            id="a file has other content of the same size",
        ),
        pytest.param(
            ETC,
            {**ETC, "etc/b": file(b"b", 0o600)},
            {"etc": folder(), "etc/b": file(b"b", 0o600)},
            id="a file has another mode",
        ),
        pytest.param(
            ETC,
            {**ETC, "etc/b": file(b"b", capability=NET_BIND)},
            {"etc": folder(), "etc/b": file(b"b", capability=NET_BIND)},
            id="a file has a capability",
        ),
        pytest.param(
            ETC,
            {"etc": folder(), "etc/a": file(b"a")},
            {"etc": folder(), "etc/.wh.b": file(b"")},
            id="a file is gone",
        ),
        pytest.param(
            ETC, {"a": file(b"a")}, {".wh.etc": file(b""), "a": file(b"a")}, id="a folder is gone"
        ),
        pytest.param(
            ETC, {"etc": symlink("usr")}, {"etc": symlink("usr")}, id="a folder became a link"
        ),
        pytest.param(
            ETC,
            {**ETC, "etc/c": same_as("etc/b")},
            {"etc": folder(), "etc/b": file(b"b"), "etc/c": same_as("etc/b")},
            id="a file has a second name, so both are said",
        ),
    ],
)
def test_the_layer_between_two_trees_is_what_differs(
    base: Tree, full: Tree, layer: Tree, tmp_path: Path
) -> None:
    between = layer_between(
        write_tree(base, tmp_path / "base.tar", mtime=1),
        write_tree(full, tmp_path / "full.tar", mtime=2),
        tmp_path / "layer.tar",
    )
    assert list(read_layer(between.path).items()) == list(layer.items())


NAMES = st.sampled_from(["a", "b", "c", "-", ".d"])
LEAVES = st.one_of(
    st.builds(
        file,
        st.sampled_from([b"", b"x", b"yy", b"z" * 600]),
        st.sampled_from([0o644, 0o4755]),
        st.sampled_from(["", NET_BIND]),
    ),
    st.builds(symlink, st.sampled_from(["a", "../b"])),
)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Node]:
    """Draw a tree with folders, files, links and files of several names, folders first."""
    tree: dict[str, Node] = {}

    def fill(above: str, depth: int) -> None:
        for name in sorted(draw(st.sets(NAMES, max_size=4))):
            path = f"{above}{name}"
            if depth and draw(st.booleans()):
                tree[path] = folder(draw(st.sampled_from([0o755, 0o700])))
                fill(f"{path}/", depth - 1)
            else:
                tree[path] = draw(LEAVES)

    fill("", 3)
    files = [path for path, node in tree.items() if node.kind == tarfile.REGTYPE]
    for number in range(draw(st.integers(0, 2)) if files else 0):
        tree[f"link{number}"] = same_as(draw(st.sampled_from(files)))
    return tree


@given(base=trees(), full=trees())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_layer_between_two_trees_makes_one_of_the_other(
    tmp_path: Path, base: Tree, full: Tree
) -> None:
    one, other = write_tree(base, tmp_path / "base.tar"), write_tree(full, tmp_path / "full.tar")
    changed, wanted = Disk(), Disk()
    changed.apply(read_layer(layer_of_tar(one, tmp_path / "base.layer").path))
    changed.apply(read_layer(layer_between(one, other, tmp_path / "layer").path))
    wanted.apply(full)
    assert changed.seen() == wanted.seen()


def test_a_name_that_would_remove_another_file_is_refused(tmp_path: Path) -> None:
    tree = write_tree({"etc": folder(), "etc/.wh.hosts": file(b"")}, tmp_path / "tree.tar")
    with pytest.raises(IngotError, match=r"etc/\.wh\.hosts"):
        layer_of_tar(tree, tmp_path / "layer.tar")


def test_a_second_name_without_its_file_is_refused(tmp_path: Path) -> None:
    tree = write_tree({"perl5": same_as("perl")}, tmp_path / "tree.tar")
    with pytest.raises(IngotError, match="another name of perl, which is not in it"):
        layer_of_tar(tree, tmp_path / "layer.tar")
