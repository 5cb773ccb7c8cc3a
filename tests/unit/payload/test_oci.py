"""Archives keep the rules of the OCI image layout, and hold each blob once."""

from __future__ import annotations

import hashlib
import json
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingot.payload.layer import Layer, layer_of_files
from ingot.payload.oci import Image, write_archive


class Archive:
    """An archive, read without a tool of ours."""

    def __init__(self, path: Path) -> None:
        with tarfile.open(path, "r:") as tar:
            self.members = tar.getmembers()
            self.files = {
                member.name: stream.read()
                for member in self.members
                if (stream := tar.extractfile(member)) is not None
            }

    def json(self, name: str) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.files[name])
        return read

    def blob(self, descriptor: dict[str, Any]) -> bytes:
        """Return what a descriptor points to, as long and of such content as it says."""
        algorithm, _, digits = descriptor["digest"].partition(":")
        content = self.files[f"blobs/{algorithm}/{digits}"]
        assert hashlib.new(algorithm, content).hexdigest() == digits
        assert len(content) == descriptor["size"]
        return content

    @property
    def index(self) -> list[dict[str, Any]]:
        manifests: list[dict[str, Any]] = self.json("index.json")["manifests"]
        return manifests


@pytest.fixture
def base(tmp_path: Path) -> Layer:
    return layer_of_files({"etc/base": b"base"}, tmp_path / "base.tar", mode=0o644)


@pytest.fixture
def program(tmp_path: Path) -> Layer:
    return layer_of_files({"program": b"program"}, tmp_path / "program.tar")


def image(*layers: Layer, names: tuple[str, ...] = ("registry.example/one:v1",)) -> Image:
    return Image(
        names=names,
        title="one",
        version="v1",
        source="https://source.example",
        origin="a test",
        layers=layers,
    )


def archive(folder: Path, *images: Image) -> Archive:
    path = folder / "images.tar"
    write_archive(images, path, architecture="amd64")
    return Archive(path)


def test_the_layout_says_its_version(tmp_path: Path, base: Layer) -> None:
    assert archive(tmp_path, image(base)).json("oci-layout") == {"imageLayoutVersion": "1.0.0"}


def test_everything_an_image_is_made_of_is_found_by_its_digest(
    tmp_path: Path, base: Layer, program: Layer
) -> None:
    made = archive(tmp_path, image(base, program))
    (named,) = made.index
    manifest = json.loads(made.blob(named))
    config = json.loads(made.blob(manifest["config"]))
    layers = [made.blob(layer) for layer in manifest["layers"]]
    assert layers == [base.path.read_bytes(), program.path.read_bytes()]
    assert config["rootfs"] == {
        "type": "layers",
        "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers],
    }
    assert len(config["history"]) == len(layers)


def test_media_types_are_those_of_the_specification(tmp_path: Path, base: Layer) -> None:
    made = archive(tmp_path, image(base))
    (named,) = made.index
    manifest = json.loads(made.blob(named))
    kinds = {
        "index": made.json("index.json")["mediaType"],
        "manifest": (named["mediaType"], manifest["mediaType"]),
        "config": manifest["config"]["mediaType"],
        "layer": manifest["layers"][0]["mediaType"],
    }
    start = "application/vnd.oci.image"
    assert kinds == {
        "index": f"{start}.index.v1+json",
        "manifest": (f"{start}.manifest.v1+json", f"{start}.manifest.v1+json"),
        "config": f"{start}.config.v1+json",
        "layer": f"{start}.layer.v1.tar",
    }


def test_the_configuration_says_how_to_run_it_and_what_it_is(tmp_path: Path, base: Layer) -> None:
    made = archive(
        tmp_path,
        replace(
            image(base),
            entrypoint=("/program",),
            user="65535:65535",
            environment=("A=b",),
            labels={"more": "said"},
        ),
    )
    (named,) = made.index
    config = json.loads(made.blob(json.loads(made.blob(named))["config"]))
    assert (config["architecture"], config["os"]) == ("amd64", "linux")
    assert config["created"] == "2026-01-01T00:00:00Z"
    assert config["config"] == {
        "Entrypoint": ["/program"],
        "Env": ["A=b"],
        "User": "65535:65535",
        "WorkingDir": "/",
        "Labels": {
            "more": "said",
            "org.opencontainers.image.source": "https://source.example",
            "org.opencontainers.image.title": "one",
            "org.opencontainers.image.version": "v1",
        },
    }


def test_an_image_without_entry_point_or_user_says_neither(tmp_path: Path, base: Layer) -> None:
    made = archive(tmp_path, image(base))
    (named,) = made.index
    config = json.loads(made.blob(json.loads(made.blob(named))["config"]))
    assert config["config"].keys() == {"Env", "Labels", "WorkingDir"}


def test_each_name_is_an_entry_that_containerd_and_others_can_read(
    tmp_path: Path, base: Layer
) -> None:
    names = ("registry.example:5000/one:v1", "mirror.example/one:stable")
    entries = archive(tmp_path, image(base, names=names)).index
    assert len({entry["digest"] for entry in entries}) == 1
    assert [entry["platform"] for entry in entries] == [
        {"architecture": "amd64", "os": "linux"}
    ] * 2
    assert [entry["annotations"] for entry in entries] == [
        {"io.containerd.image.name": names[0], "org.opencontainers.image.ref.name": "v1"},
        {"io.containerd.image.name": names[1], "org.opencontainers.image.ref.name": "stable"},
    ]


def test_a_layer_of_two_images_is_stored_once(tmp_path: Path, base: Layer, program: Layer) -> None:
    made = archive(
        tmp_path,
        image(base, names=("example/one:v1",)),
        image(base, program, names=("example/two:v1",)),
    )
    paths = [member.name for member in made.members]
    assert len(paths) == len(set(paths))
    # Two manifests, two configurations, two layers.
    assert sum(path.startswith("blobs/sha256/") for path in paths) == 6


def test_an_archive_is_the_same_whenever_it_is_written(
    tmp_path: Path, base: Layer, program: Layer
) -> None:
    written = []
    for attempt in ("first", "second"):
        path = tmp_path / attempt
        write_archive([image(base, program)], path, architecture="amd64")
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_what_was_written_is_told_with_digest_and_size(
    tmp_path: Path, base: Layer, program: Layer
) -> None:
    path = tmp_path / "images.tar"
    (written,) = write_archive([image(base, program)], path, architecture="amd64")
    made = Archive(path)
    (named,) = made.index
    manifest = json.loads(made.blob(named))
    assert written.digest == named["digest"]
    assert written.size == (
        named["size"] + manifest["config"]["size"] + sum(one["size"] for one in manifest["layers"])
    )


def test_two_images_of_one_name_are_refused(tmp_path: Path, base: Layer, program: Layer) -> None:
    with pytest.raises(ValueError, match="given twice"):
        write_archive([image(base), image(program)], tmp_path / "images.tar", architecture="amd64")
