"""A store as the node image has it: layers are given up, and kubelet is offered every image.

containerd is asked as kubelet asks it, by the Container Runtime Interface, and again after it has
collected its garbage and was started anew, as on a node that boots.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, Workshop, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from ingot.osimage.imagestore import fill_image_store
from ingot.payload.binaries import containerd
from ingot.payload.layer import Layer, layer_of_files
from ingot.payload.oci import Image, write_archive
from tests.integration.containers import PrivateContainerd, private_containerd

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="images are only unpacked by root")

FIRST, SECOND, UNWANTED = (f"ingot.local/{name}:1" for name in ("first", "second", "unwanted"))
NO_MESSAGE = bytes(5)
"""An empty message in gRPC's frame: not compressed, of length 0."""


def layer(folder: Path, name: str) -> Layer:
    return layer_of_files({name: name.encode()}, folder / f"{name}.tar")


def image(name: str, *layers: Layer) -> Image:
    return Image((name,), name, "1", "here", "a test", layers)


@pytest.fixture(scope="module")
def commands() -> Path:
    return make(Store(), [containerd()], Silent())[-1].artefact.path


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Layer]:
    folder = tmp_path_factory.mktemp("layers")
    return {name: layer(folder, name) for name in ("below", "middle", "top", "other")}


@pytest.fixture(scope="module")
def store(
    commands: Path, layers: dict[str, Layer], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A store with two images that have a layer in common, and one to be removed."""
    folder = tmp_path_factory.mktemp("store")
    write_archive(
        [
            image(FIRST, layers["below"], layers["middle"], layers["top"]),
            image(SECOND, layers["below"], layers["other"]),
            image(UNWANTED, layers["other"]),
        ],
        folder / "images.tar",
        architecture="amd64",
    )
    recipe = Recipe("image-store", lambda _: None)
    workshop = Workshop(recipe, folder, folder, Store(), Silent())
    fill_image_store(workshop, folder / "images.tar", folder / "containerd", commands=commands)
    return folder / "containerd"


def offered(runtime: PrivateContainerd) -> bytes:
    """Return what kubelet is told when it asks for all images."""
    request, answer = runtime.home / "request", runtime.home / "answer"
    request.write_bytes(NO_MESSAGE)
    runtime.inside(
        "curl", "--silent", "--show-error", "--fail", "--max-time", "30",
        "--http2-prior-knowledge", "--unix-socket", runtime.home / "sock",
        "--header", "content-type: application/grpc", "--header", "te: trailers",
        "--data-binary", f"@{request}", "--output", answer,
        "http://localhost/runtime.v1.ImageService/ListImages",
    )  # fmt: skip
    return answer.read_bytes()


def files_of(runtime: PrivateContainerd, name: str) -> set[str]:
    """Return the files of an image with their content, as a container would see them."""
    place = runtime.home / name.replace("/", "_")
    place.mkdir()
    runtime.ctr("images", "mount", name, place)
    said = runtime.inside("grep", "--recursive", "--with-filename", "--", "", place)
    return {line.removeprefix(f"{place}/") for line in said.splitlines()}


def test_no_layer_is_kept_beside_what_was_unpacked_from_it(
    store: Path, layers: dict[str, Layer]
) -> None:
    kept = {path.name for path in store.glob("io.containerd.content.v1.content/blobs/sha256/*")}
    assert len(kept) == 6  # a manifest and a configuration of each image
    assert not kept & {one.digest.removeprefix("sha256:") for one in layers.values()}


def test_kubelet_is_offered_every_image_before_and_after_garbage_is_collected(
    commands: Path, store: Path
) -> None:
    with private_containerd(commands, store=store, for_kubelet=True) as runtime:
        seen = offered(runtime)
        assert all(name.encode() in seen for name in (FIRST, SECOND, UNWANTED))
        runtime.ctr("images", "remove", "--sync", UNWANTED)
    with private_containerd(commands, store=store, for_kubelet=True) as runtime:
        seen = offered(runtime)
        assert [name.encode() in seen for name in (FIRST, SECOND, UNWANTED)] == [True, True, False]
        assert files_of(runtime, FIRST) == {"below:below", "middle:middle", "top:top"}
        assert files_of(runtime, SECOND) == {"below:below", "other:other"}
