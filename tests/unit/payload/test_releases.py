"""Releases are downloaded whole, checked before they are used, and never poison the cache."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.errors import IngotError
from ingot.payload.binaries import CNI_PLUGINS, KUBERNETES_COMMANDS, cni_plugins, etcd, kubernetes
from ingot.payload.fetching import ChecksumMismatch, DownloadFailed, forget_unfinished
from ingot.payload.releases import ReleaseUnreadable, checksum_in
from ingot.payload.source import Source
from tests.mirror import Mirror, archive, cni_path, publish_cni, publish_kubernetes, serving

DIGEST = "0123456789abcdef" * 4


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    with serving() as running:
        monkeypatch.setenv("INGOT_KUBERNETES_RELEASES", running.address)
        monkeypatch.setenv("INGOT_GITHUB_RELEASES", f"{running.address}/")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr("ingot.payload.releases._REACHABLE", {})
        yield running


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("INGOT_CACHE", str(tmp_path / "cache"))
    return Store()


class Listener(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def said(self, recipe: object, text: str) -> None:
        del recipe
        self.lines.append(text)


def get_cni(store: Store, watcher: Silent | None = None) -> dict[str, bytes]:
    (made,) = make(store, [cni_plugins(Source.RELEASE)], watcher or Silent())
    return {name: (made.artefact.path / name).read_bytes() for name in made.artefact.files}


def nothing_is_kept(store: Store) -> bool:
    return store.everything() == [] and list(store.work.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{DIGEST}\n", DIGEST, id="bare digits"),
        pytest.param(f"{DIGEST}  file.tgz\n", DIGEST, id="sha256sum"),
        pytest.param(f"{DIGEST} *file.tgz\n", DIGEST, id="sha256sum of a binary file"),
        pytest.param(f"{DIGEST}  ./out/file.tgz\n", DIGEST, id="with a folder"),
        pytest.param(f"{DIGEST.upper()}  file.tgz\n", DIGEST, id="upper case"),
        pytest.param(f"{'f' * 64}  other\n{DIGEST}  file.tgz\n", DIGEST, id="among others"),
        pytest.param(f"{DIGEST}  other.tgz\n", None, id="only of another file"),
        pytest.param("<html>Not found</html>", None, id="a web page"),
        pytest.param(f"{DIGEST[:40]}  file.tgz", None, id="another kind of digest"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_checksum_is_found_in_what_projects_publish(text: str, expected: str | None) -> None:
    assert checksum_in(text, "file.tgz") == expected


def test_release_gives_every_plugin_as_a_program(mirror: Mirror, store: Store) -> None:
    publish_cni(mirror)
    (made,) = make(store, [cni_plugins(Source.RELEASE)], Silent())
    assert set(made.artefact.files) == {name for kind in CNI_PLUGINS.values() for name in kind}
    assert stat.S_IMODE((made.artefact.path / "bridge").stat().st_mode) == 0o755
    assert made.artefact.inputs["source"] == "release"


def test_kubernetes_release_has_its_commands_and_pause(mirror: Mirror, store: Store) -> None:
    publish_kubernetes(mirror)
    (made,) = make(store, [kubernetes(Source.RELEASE)], Silent())
    assert set(made.artefact.files) == {*KUBERNETES_COMMANDS, "pause"}
    assert (made.artefact.path / "pause").read_bytes().startswith(b"\x7fELF")


def test_wrong_checksum_is_refused_and_nothing_of_the_file_is_kept(
    mirror: Mirror, store: Store
) -> None:
    path = publish_cni(mirror)
    good = mirror.files[path]
    mirror.files[path] = good[:-1] + b"!"
    with pytest.raises(ChecksumMismatch) as refused:
        get_cni(store)
    assert path in refused.value.what
    assert "--source modules" in refused.value.remedy
    assert nothing_is_kept(store)
    assert list(store.downloads.iterdir()) == []
    mirror.files[path] = good
    assert get_cni(store)


def test_broken_download_goes_on_where_it_broke_off(mirror: Mirror, store: Store) -> None:
    path = publish_cni(mirror)
    mirror.cut[path] = [100]
    listener = Listener()
    assert get_cni(store, listener)
    assert mirror.asked_for(path) == ["", "bytes=100-"]
    assert any("trying again, 2 of 3" in line for line in listener.lines)


def test_download_that_keeps_breaking_is_given_up_and_gone_on_with_by_the_next_run(
    mirror: Mirror, store: Store
) -> None:
    path = publish_cni(mirror)
    mirror.cut[path] = [100, 20, 3]
    with pytest.raises(DownloadFailed, match="ended after 123 of") as failed:
        get_cni(store)
    assert "it continues where it stopped" in failed.value.remedy
    assert nothing_is_kept(store)
    assert get_cni(store)
    assert mirror.asked_for(path)[-1] == "bytes=123-"


def test_download_starts_over_where_parts_cannot_be_had(mirror: Mirror, store: Store) -> None:
    path = publish_cni(mirror)
    mirror.cut[path] = [100]
    mirror.ranges = False
    assert get_cni(store)


@pytest.mark.parametrize("size", [10, 100_000], ids=["shorter", "longer"])
def test_rest_of_something_else_is_noticed_and_replaced(
    mirror: Mirror, store: Store, size: int
) -> None:
    path = publish_cni(mirror)
    digest = mirror.files[f"{path}.sha256"].split()[0].decode()
    store.prepare()
    (store.downloads / f"{digest}.part").write_bytes(b"x" * size)
    assert get_cni(store)


def test_missing_release_is_asked_for_once(mirror: Mirror, store: Store) -> None:
    path = publish_cni(mirror)
    del mirror.files[path]
    with pytest.raises(DownloadFailed, match="answered 404"):
        get_cni(store)
    assert len(mirror.asked_for(path)) == 1


def test_busy_server_is_asked_again(mirror: Mirror, store: Store) -> None:
    path = publish_cni(mirror)
    mirror.answers[path] = [503]
    assert get_cni(store)


def test_unreachable_site_is_named_with_what_to_do(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as gone:
        address = gone.address
    monkeypatch.setenv("INGOT_GITHUB_RELEASES", address)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(DownloadFailed, match="Connection refused") as failed:
        get_cni(store)
    assert address in failed.value.what
    assert "proxy" in failed.value.remedy
    assert nothing_is_kept(store)


def test_address_that_is_not_of_the_web_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INGOT_GITHUB_RELEASES", "file:///etc")
    with pytest.raises(DownloadFailed, match="not an http or https address"):
        get_cni(store)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(
            archive({"./bridge": b"x"}), "does not contain bandwidth", id="member missing"
        ),
        pytest.param(b"no archive", "not an archive", id="no archive"),
        pytest.param(archive({"./bridge": b"x" * 9999})[:60], "not an archive", id="cut archive"),
    ],
)
def test_release_of_another_form_is_refused(
    mirror: Mirror, store: Store, content: bytes, complaint: str
) -> None:
    mirror.publish(cni_path(), content)
    with pytest.raises(ReleaseUnreadable, match=complaint):
        get_cni(store)
    assert nothing_is_kept(store)


def test_checksum_file_without_the_file_is_refused(mirror: Mirror, store: Store) -> None:
    path = publish_cni(mirror)
    mirror.files[f"{path}.sha256"] = b"something else"
    with pytest.raises(ReleaseUnreadable, match="has no SHA-256 of cni-plugins"):
        get_cni(store)


def test_release_is_chosen_where_it_can_be_reached(mirror: Mirror, store: Store) -> None:
    publish_cni(mirror)
    del store
    assert cni_plugins().inputs["source"] == "release"


def test_modules_are_chosen_where_releases_cannot_be_reached_and_asked_once(
    mirror: Mirror, store: Store
) -> None:
    del store
    assert cni_plugins().inputs["source"] == "modules"
    assert etcd().inputs["source"] == "modules"
    assert len(mirror.requests) == 1


def test_what_is_in_the_store_is_used_when_the_network_comes_back(
    mirror: Mirror, store: Store
) -> None:
    store.prepare()
    built = store.work / "built"
    built.mkdir()
    (built / "bridge").touch()
    store.keep(cni_plugins(Source.MODULES), built, 1.0)
    publish_cni(mirror)
    assert cni_plugins().inputs["source"] == "modules"
    assert mirror.requests == []


def test_what_is_in_the_store_is_used_when_the_network_goes(mirror: Mirror, store: Store) -> None:
    publish_cni(mirror)
    get_cni(store)
    mirror.files.clear()
    assert cni_plugins().key == cni_plugins(Source.RELEASE).key


def test_choice_holds_for_the_whole_process(mirror: Mirror, store: Store) -> None:
    first = cni_plugins()
    publish_cni(mirror)
    get_cni(store)
    assert cni_plugins().key == first.key


def test_source_can_be_forced_by_the_environment(
    mirror: Mirror, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_cni(mirror)
    get_cni(store)
    monkeypatch.setenv("INGOT_PAYLOAD_SOURCE", "modules")
    assert cni_plugins().inputs["source"] == "modules"


def test_unknown_source_in_the_environment_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGOT_PAYLOAD_SOURCE", "module")
    with pytest.raises(IngotError) as refused:
        cni_plugins()
    assert "auto, release, modules" in refused.value.remedy


def test_released_and_compiled_have_different_keys() -> None:
    assert cni_plugins(Source.RELEASE).key != cni_plugins(Source.MODULES).key


def test_only_downloads_that_nobody_goes_on_with_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / "old.part").write_bytes(b"four")
    os.utime(tmp_path / "old.part", (0, 0))
    (tmp_path / "new.part").touch()
    assert forget_unfinished(tmp_path) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["new.part"]
