"""Any sequence of edits, targets and kills gives what making everything afresh would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from ingot.assets.graph import configparts
from ingot.assets.graph.asset import Inputs, Random, Sources
from ingot.assets.graph.files import Files, is_at
from ingot.assets.graph.making import Outcome, Present, make
from ingot.assets.graph.state import State
from ingot.assets.graph.storing import decoded, encoded
from tests.unit.assets.graph.smallgraph import counting, small_graph, sources

GRAPH = small_graph()
PATHS = (
    "manifests/names.yaml",
    "manifests/letter-a.yaml",
    "manifests/letter-c.yaml",
    "manifests/domain.yaml",
    "manifests/user.yaml",
    "tls/ca.key",
    "tls/admin.crt",
    "bootstrap.ign",
)


def same_bytes(size: int) -> bytes:
    return b"r" * size


@dataclass
class Site:
    """A directory, the person at work in it, and a simple account of what is whose."""

    random: Random
    disk: dict[str, bytes] = field(default_factory=dict)
    state: State = field(default_factory=State)
    name: str = "ab"
    domain: str = "example.com"
    payload: str = "v1"
    ours: dict[str, bytes] = field(default_factory=dict)
    """What we wrote last at each path."""
    forgiven: set[str] = field(default_factory=set)
    """What a killed run wrote for the first time or was to remove: that it is gone says nothing."""
    uncertain: set[str] = field(default_factory=set)
    """What a killed run would have written for the first time; what is there later is taken for a
    changed one of ours."""

    @property
    def sources(self) -> Sources:
        return sources(self.name, self.domain, payload=self.payload, random=self.random)

    def made(self, target: str) -> Outcome:
        present = Present(decoded(encoded(self.state)), dict(self.disk))
        return make(GRAPH, target, sources=self.sources, present=present)

    def run(self, target: str) -> Outcome:
        outcome = self.made(target)
        self._take_for_ours(outcome)
        self.ours = self._still_ours()
        for files in outcome.files.values():  # Of what this target does not need, nothing is known.
            self.uncertain -= files.keys()
        self._apply(outcome.writes, outcome.removes)
        self.state = outcome.after
        for path, digests in outcome.after.left.items():
            if path in self.disk and len(digests) == 1 and path not in self.ours:
                self.ours[path] = self.disk[path]
        self._forget_the_gone()
        self.forgiven.clear()
        return outcome

    def kill(self, target: str, steps: int) -> None:
        """Stop a run after so many files."""
        outcome = self.made(target)
        self._take_for_ours(outcome)
        self.ours = (
            self._still_ours()
        )  # What was emptied stays begun anew, however little is written.
        self.state = outcome.before
        paths = sorted(outcome.writes)[:steps]
        left = max(0, steps - len(outcome.writes))
        self.forgiven &= outcome.writes.keys()  # What was found as it should be is ours again.
        self.forgiven |= {path for path in paths if path not in self.disk} | set(outcome.removes)
        self.uncertain |= outcome.writes.keys() - self.disk.keys() - set(paths)
        self._apply({path: outcome.writes[path] for path in paths}, outcome.removes[:left])
        self._forget_the_gone()

    def _forget_the_gone(self) -> None:
        """Forget what was gone, or taken over by the user, when it was not made any more."""
        for path in self.ours.keys() - self.state.left.keys():
            del self.ours[path]

    def _take_for_ours(self, outcome: Outcome) -> None:
        touched = {note.path for note in outcome.notes}
        plain = {
            path: content
            for record in outcome.after.records.values()
            for path, content in record.files.items()
        }
        for path in self.uncertain & self.disk.keys() & touched:
            self.ours.setdefault(path, plain.get(path, b"what would have been written"))

    def _apply(self, writes: Files, removes: tuple[str, ...]) -> None:
        for path in removes:
            del self.disk[path]
            self.ours.pop(path, None)
        self.disk |= writes
        self.ours |= writes

    def afresh(self, target: str) -> dict[str, Files]:
        """Return each asset's files, made without looking at anything that was kept."""
        ours = self._still_ours()
        files: dict[str, Files] = {}
        claimed: set[str] = set()
        for asset in GRAPH.closure(target):
            needed = {path: one for need in asset.needs for path, one in files[need].items()}
            if asset.make is None:
                files[asset.name] = needed | self._added(claimed, ours)
                continue
            config = configparts.only(self.sources.config, asset.reads)
            given = self.sources
            inputs = Inputs(config, given.payload, needed, given.random, given.now)
            plain = asset.make(inputs)
            claimed |= plain.keys()
            files[asset.name] = self._with_edits(plain, ours) if asset.shown else plain
        return files

    def _still_ours(self) -> dict[str, bytes]:
        """Return what we wrote; where all manifests are gone, none of them."""
        emptied = not any(is_at(path, ["manifests/*.yaml"]) for path in self.disk)
        return {
            path: one
            for path, one in self.ours.items()
            if not (emptied and path.startswith("manifests/"))
        }

    def _with_edits(self, plain: Files, ours: Mapping[str, bytes]) -> Files:
        result = {}
        for path, content in plain.items():
            if path in self.disk:
                is_ours = self.disk[path] == ours.get(path)
                result[path] = content if is_ours else self.disk[path]
            elif path not in ours or path in self.forgiven or not path.startswith("manifests/"):
                result[path] = content
        return result

    def _added(self, claimed: set[str], ours: Mapping[str, bytes]) -> dict[str, bytes]:
        return {
            path: content
            for path, content in self.disk.items()
            if path.startswith("manifests/") and path not in claimed and content != ours.get(path)
        }


Step = Callable[[Site], None]


def change(attribute: str) -> Callable[[str], Step]:
    return lambda value: lambda site: setattr(site, attribute, value)


def write(path: str, content: bytes) -> Step:
    return lambda site: site.disk.update({path: b"user:" + content})


def delete(path: str) -> Step:
    return lambda site: void(site.disk.pop(path, None))


def take_back(path: str) -> Step:
    return lambda site: site.disk.update({path: site.ours[path]} if path in site.ours else {})


def empty_manifests(site: Site) -> None:
    for path in [path for path in site.disk if path.startswith("manifests/")]:
        del site.disk[path]


def void(_: object) -> None:
    return None


targets = st.sampled_from(sorted(GRAPH.targets))
paths = st.sampled_from(PATHS)
steps = st.one_of(
    st.sampled_from(["a", "ab", "abc", "cb"]).map(change("name")),
    st.sampled_from(["example.com", "example.org"]).map(change("domain")),
    st.sampled_from(["v1", "v2"]).map(change("payload")),
    st.builds(write, paths, st.sampled_from([b"1", b"2"])),
    paths.map(delete),
    paths.map(take_back),
    st.just(empty_manifests),
    targets.map(lambda target: lambda site: void(site.run(target))),
    st.builds(
        lambda target, count: lambda site: site.kill(target, count), targets, st.integers(0, 9)
    ),
)


@given(st.lists(steps, max_size=25), targets)
def test_any_sequence_gives_what_is_made_afresh(sequence: list[Step], target: str) -> None:
    site = Site(same_bytes)
    for step in sequence:
        step(site)
    expected = site.afresh(target)
    outcome = site.run(target)
    assert outcome.files == expected
    shown = [asset.name for asset in GRAPH.closure(target) if asset.shown]
    for name in shown:
        assert {path: site.disk[path] for path in expected[name]} == expected[name]
    again = site.made(target)
    assert (again.made, again.writes, again.removes) == ((), {}, ())


@given(st.lists(steps, max_size=25))
def test_a_secret_is_kept_for_as_long_as_what_it_is_made_from(sequence: list[Step]) -> None:
    site = Site(counting())
    site.run("all")
    key = site.state.records["key"].files
    for step in sequence:
        before = site.state.records["certificate"]
        step(site)
        after = site.state.records["certificate"]
        assert site.state.records["key"].files == key
        assert (after.files == before.files) == (after.inputs == before.inputs)


@given(st.lists(steps, max_size=25), targets)
def test_what_a_person_wrote_is_never_written_over_or_removed(
    sequence: list[Step], target: str
) -> None:
    site = Site(same_bytes)
    for step in sequence:
        step(site)
    written = {path: one for path, one in site.disk.items() if one.startswith(b"user:")}
    site.run(target)
    assert {path: site.disk.get(path) for path in written} == written
