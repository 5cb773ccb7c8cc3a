"""Results are kept whole or not at all, and never built twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ingot.artefact.building import DiskTooSmall, Made, NeedsRoot, Silent, Workshop, make
from ingot.artefact.recipe import Recipe, digest_of, in_order
from ingot.artefact.store import Store, StoreUnusable
from ingot.process import CommandFailed, MissingProgram


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def writes(text: str) -> Callable[[Workshop], None]:
    def build(workshop: Workshop) -> None:
        (workshop.out / "file").write_text(text, encoding="utf-8")

    return build


def recipe(name: str = "thing", text: str = "content", **inputs: str) -> Recipe:
    return Recipe(name, writes(text), inputs=inputs)


class Recorder(Silent):
    def __init__(self) -> None:
        self.built: list[str] = []
        self.waited: list[str] = []
        self.missing: list[str] = []

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        del cached
        self.missing = [one.name for one in missing]

    def waiting(self, recipe: Recipe) -> None:
        self.waited.append(recipe.name)

    def finished(self, made: Made) -> None:
        if not made.cached:
            self.built.append(made.artefact.name)


def test_result_has_what_was_built(store: Store) -> None:
    (made,) = make(store, [recipe()], Silent())
    assert (made.artefact.path / "file").read_text(encoding="utf-8") == "content"
    assert not made.cached


def test_second_run_builds_nothing(store: Store) -> None:
    make(store, [recipe()], Silent())
    (made,) = make(store, [recipe()], Silent())
    assert made.cached


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(recipe(version="1"), recipe(version="2"), id="another input"),
        pytest.param(recipe("a"), recipe("b"), id="another name"),
        pytest.param(
            Recipe("top", writes("x"), needs=(recipe(version="1"),)),
            Recipe("top", writes("x"), needs=(recipe(version="2"),)),
            id="another input of something it needs",
        ),
        pytest.param(
            Recipe("a", writes("x")), Recipe("a", writes("x"), revision=2), id="another revision"
        ),
    ],
)
def test_what_decides_the_result_decides_the_key(one: Recipe, other: Recipe) -> None:
    assert one.key != other.key


def test_needs_are_built_first_and_once(store: Store) -> None:
    shared = recipe("shared")
    left = Recipe("left", writes("l"), needs=(shared,))
    right = Recipe("right", writes("r"), needs=(shared,))
    recorder = Recorder()
    make(store, [Recipe("top", writes("t"), needs=(left, right))], recorder)
    assert recorder.built == ["shared", "left", "right", "top"]


def test_what_a_recipe_needs_is_there_when_it_is_built(store: Store) -> None:
    need = recipe("need", "from below")

    def build(workshop: Workshop) -> None:
        text = (workshop.need(need) / "file").read_text(encoding="utf-8")
        (workshop.out / "file").write_text(text.upper(), encoding="utf-8")

    made = make(store, [Recipe("top", build, needs=(need,))], Silent())
    assert (made[-1].artefact.path / "file").read_text(encoding="utf-8") == "FROM BELOW"


def test_truncated_result_is_built_again(store: Store) -> None:
    (made,) = make(store, [recipe()], Silent())
    (made.artefact.path / "file").write_text("con", encoding="utf-8")
    (again,) = make(store, [recipe()], Silent())
    assert not again.cached
    assert (again.artefact.path / "file").read_text(encoding="utf-8") == "content"


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"name": "thing"}'])
def test_result_with_a_damaged_manifest_is_built_again(store: Store, damage: str) -> None:
    (made,) = make(store, [recipe()], Silent())
    (made.artefact.path / "manifest.json").write_text(damage, encoding="utf-8")
    (again,) = make(store, [recipe()], Silent())
    assert not again.cached


def test_altered_content_of_the_same_size_is_found_by_verifying(store: Store) -> None:
    (made,) = make(store, [recipe()], Silent())
    assert store.verify(made.artefact) == []
    (made.artefact.path / "file").write_text("c0ntent", encoding="utf-8")
    assert store.verify(made.artefact) == ["file"]


def test_equal_results_have_equal_digests(tmp_path: Path) -> None:
    (one,) = make(Store(tmp_path / "one"), [recipe()], Silent())
    (other,) = make(Store(tmp_path / "other"), [recipe()], Silent())
    assert one.artefact.digest == other.artefact.digest


def test_failed_build_leaves_nothing_and_keeps_what_came_before(store: Store) -> None:
    before = recipe("before")

    def fail(workshop: Workshop) -> None:
        (workshop.out / "half").touch()
        workshop.run("sh", "-c", "echo the cause is here; exit 7")

    after = Recipe("after", fail, needs=(before,))
    with pytest.raises(CommandFailed) as failed:
        make(store, [after], Silent())
    assert failed.value.returncode == 7
    assert "the cause is here" in failed.value.what
    assert store.find(after) is None
    assert store.find(before) is not None
    assert list(store.work.iterdir()) == []


def _build_and_die(root: Path) -> None:
    def die(workshop: Workshop) -> None:
        (workshop.out / "half").touch()
        os.kill(os.getpid(), signal.SIGKILL)

    make(Store(root), [Recipe("thing", die)], Silent())


def test_killed_build_is_made_anew_by_the_next(store: Store, tmp_path: Path) -> None:
    child = multiprocessing.get_context("fork").Process(
        target=_build_and_die, args=(tmp_path / "cache",)
    )
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert list(store.work.iterdir()) != []
    (made,) = make(store, [Recipe("thing", writes("whole"))], Silent())
    assert sorted(made.artefact.files) == ["file"]
    assert list(store.work.iterdir()) == []


def _build_slowly(root: Path, log: Path, release: Path) -> None:
    def build(workshop: Workshop) -> None:
        with log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        workshop.run("cat", release)  # a pipe: blocks until the test writes to it
        (workshop.out / "file").touch()

    make(Store(root), [Recipe("thing", build)], Silent())


def test_two_builds_at_once_build_once(store: Store, tmp_path: Path) -> None:
    log, release = tmp_path / "log", tmp_path / "release"
    os.mkfifo(release)
    arguments = (tmp_path / "cache", log, release)
    context = multiprocessing.get_context("fork")
    builders = [context.Process(target=_build_slowly, args=arguments) for _ in range(2)]
    for builder in builders:
        builder.start()
    release.write_text("go", encoding="utf-8")
    for builder in builders:
        builder.join(60)
    assert [builder.exitcode for builder in builders] == [0, 0]
    assert len(log.read_text(encoding="utf-8").splitlines()) == 1
    assert len(store.everything()) == 1


def test_missing_programs_are_all_named_before_anything_starts(store: Store) -> None:
    first = Recipe("first", writes("x"), programs={"no-such-tool": "tool-package"})
    second = Recipe("second", writes("y"), programs={"nor-this": "other"}, needs=(first,))
    with pytest.raises(MissingProgram) as refused:
        make(store, [second], Silent())
    assert "no-such-tool" in refused.value.what
    assert "nor-this" in refused.value.what
    assert "apt-get install other tool-package" in refused.value.remedy
    assert store.everything() == []


def test_what_only_root_can_build_is_refused_to_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NeedsRoot) as refused:
        make(store, [Recipe("root", writes("x"), needs_root=True)], Silent())
    assert "sudo" in refused.value.remedy


def test_full_disk_is_found_before_anything_starts(store: Store) -> None:
    huge = Recipe("huge", writes("x"), disk_bytes=10**18)
    with pytest.raises(DiskTooSmall) as refused:
        make(store, [huge], Silent())
    assert "INGOT_CACHE" in refused.value.remedy


def test_cache_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "in-the-way").touch()
    with pytest.raises(StoreUnusable) as refused:
        make(Store(tmp_path / "in-the-way"), [recipe()], Silent())
    assert "INGOT_CACHE" in refused.value.remedy


def test_prune_keeps_what_is_asked_for(store: Store) -> None:
    wanted, other = recipe("wanted"), recipe("other")
    make(store, [wanted, other], Silent())
    removed, freed = store.prune({wanted.key})
    assert removed == 1
    assert freed > 0
    assert [one.name for one in store.everything()] == ["wanted"]


def test_only_the_two_newest_results_of_a_name_are_kept(store: Store) -> None:
    for number, version in enumerate("123"):
        (made,) = make(store, [recipe(version=version)], Silent())
        os.utime(made.artefact.path, (number, number))
    make(store, [recipe(version="4"), recipe("another")], Silent())
    kept = {artefact.inputs.get("version") for artefact in store.everything()}
    assert kept == {"3", "4", None}


def test_recipe_may_use_only_what_it_says_it_needs(store: Store) -> None:
    other = recipe("other")

    def build(workshop: Workshop) -> None:
        workshop.need(other)

    with pytest.raises(ValueError, match="does not say that it needs other"):
        make(store, [other, Recipe("top", build)], Silent())


def test_order_has_needs_first() -> None:
    low = recipe("low")
    middle = Recipe("middle", writes("m"), needs=(low,))
    top = Recipe("top", writes("t"), needs=(middle, low))
    assert [one.name for one in in_order(top, low)] == ["low", "middle", "top"]


def test_digest_of_a_folder_covers_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1", encoding="utf-8")
    first = digest_of(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert digest_of(tmp_path) != first


def test_manifest_tells_what_decided_the_result(store: Store) -> None:
    (made,) = make(store, [recipe(version="1.2.3")], Silent())
    manifest = json.loads((made.artefact.path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["inputs"] == {"version": "1.2.3"}
