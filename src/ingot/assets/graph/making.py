"""Making a target: what is kept and still fits is used, and the rest is made.

Nothing is read or written here. The result says what to write, what to remove and what to remember,
and whoever does that may be stopped at any point (see `state`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ingot.assets.graph import configparts
from ingot.assets.graph.asset import Asset, Inputs, Sources
from ingot.assets.graph.files import Digest, Files, digest_of, digests_of, is_at
from ingot.assets.graph.state import ABSENT, Record, State
from ingot.assets.graph.touching import Note, Touch, touch
from ingot.assets.graph.web import Graph, GraphFault

__all__ = ["Outcome", "Present", "make"]

USED_AS_FOUND: Final = frozenset({Touch.CHANGED, Touch.OUTDATED, Touch.OWN})


@dataclass(frozen=True, slots=True)
class Present:
    """What is there before a target is made.

    Attributes:
        state: what the run before has left.
        files: those in the install directory, at the places of assets.
    """

    state: State
    files: Files = field(repr=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A target, made.

    Attributes:
        files: of each asset by name, with what the user changed.
        made: assets that were made now; the others were kept.
        notes: what the user did.
        writes: files to write to the install directory.
        removes: files to remove from it: ours, and no longer made.
        before: to be remembered before anything is written.
        after: to be remembered when everything is written.
    """

    files: dict[str, Files] = field(repr=False)
    made: tuple[str, ...]
    notes: tuple[Note, ...]
    writes: Files = field(repr=False)
    removes: tuple[str, ...]
    before: State
    after: State

    def all_files(self) -> Files:
        """Return the files of all assets together."""
        return {path: content for files in self.files.values() for path, content in files.items()}


def make(
    graph: Graph,
    target: str,
    *,
    sources: Sources,
    present: Present,
    on_make: Callable[[Asset], None] = lambda _: None,
    on_own: Callable[[str, bytes], None] = lambda _path, _content: None,
) -> Outcome:
    """Make a target.

    Args:
        graph: the assets.
        target: what is asked for.
        sources: what everything is made from.
        present: what is there already.
        on_make: told each asset before it is made.
        on_own: told each file that the user wrote or changed before it is used; may refuse it.
    """
    run = _Run(graph, sources, present, on_make, on_own)
    for asset in graph.closure(target):
        if asset.make is None:
            run.gather(asset)
        else:
            run.provide(asset, asset.make)
    return run.outcome()


class _Run:
    """One run: grows asset by asset, in their order."""

    def __init__(
        self,
        graph: Graph,
        sources: Sources,
        present: Present,
        on_make: Callable[[Asset], None],
        on_own: Callable[[str, bytes], None],
    ) -> None:
        self.graph = graph
        self.sources = sources
        self.state = present.state
        self.found = present.files
        self.on_make = on_make
        self.on_own = on_own
        self.records = {
            name: record for name, record in self.state.records.items() if name in graph.assets
        }
        self.left = dict(_untouched(graph, present))
        self.files: dict[str, Files] = {}
        self.made: list[str] = []
        self.notes: list[Note] = []
        self.writes: dict[str, bytes] = {}
        self.owners: dict[str, str] = {}

    def provide(self, asset: Asset, make_it: Callable[[Inputs], Files]) -> None:
        """Have the files of an asset: kept ones if nothing that they are made from changed."""
        inputs = Inputs(
            config=configparts.only(self.sources.config, asset.reads),
            payload=self.sources.payload,
            files=self._needed(asset),
            random=self.sources.random,
            now=self.sources.now,
        )
        key = _key(asset, inputs, self.sources.maker)
        record = self.records.get(asset.name)
        if record is None or record.inputs != key:
            self.on_make(asset)
            record = Record(key, dict(make_it(inputs)))
            self.made.append(asset.name)
        self.records[asset.name] = record
        self.files[asset.name] = dict(self._judged(asset, record.files))

    def gather(self, asset: Asset) -> None:
        """Have the files of others at some places, and what the user added there."""
        own = {
            path: content
            for path, content in self._needed(asset).items()
            if is_at(path, asset.places)
        }
        for path in sorted(self.found.keys() - self.owners.keys()):
            left = self.left.get(path, frozenset())
            if is_at(path, asset.places) and self._digest(path) not in left:
                own[path] = self._own(path, Touch.ORPHANED if left else Touch.ADDED)
                self.left.pop(path, None)
        self.files[asset.name] = own

    def outcome(self) -> Outcome:
        """Return what came of it."""
        removes = tuple(self._forgotten())
        kept = {path: left for path, left in self.left.items() if path not in removes}
        written = {path: frozenset({digest_of(self.writes[path])}) for path in self.writes}
        possible = {path: new | self._possible(path) for path, new in written.items()}
        # Whoever is stopped while removing them has deleted nothing for good.
        possible |= {path: self.left[path] | {ABSENT} for path in removes}
        used = {name: digests_of(files) for name, files in self.files.items()}
        after = State(
            records=self.records,
            left=kept | written,
            used={**self.state.used, **used},
            config=self.sources.document,
            fields=configparts.fields(self.sources.config),
        )
        return Outcome(
            files=self.files,
            made=tuple(self.made),
            notes=tuple(sorted(self.notes, key=lambda note: note.path)),
            writes=self.writes,
            removes=removes,
            before=replace(after, left=self.left | possible),
            after=after,
        )

    def _needed(self, asset: Asset) -> Files:
        return {path: content for need in asset.needs for path, content in self.files[need].items()}

    def _judged(self, asset: Asset, files: Files) -> Iterator[tuple[str, bytes]]:
        """Return an asset's files as they are used, and see to what must be written."""
        for path, content in sorted(files.items()):
            self._claim(asset, path)
            if not asset.shown:
                yield path, content
                continue
            left = self.left.get(path, frozenset())
            seen = touch(made=digest_of(content), found=self._digest(path), left=left)
            if seen is Touch.DELETED and not self._is_gathered(path):
                seen = Touch.NONE
            if seen in USED_AS_FOUND:
                if left:  # It is there now: if it goes, somebody deletes it.
                    self.left[path] = left - {ABSENT}
                yield path, self._own(path, seen)
            elif seen is Touch.DELETED:
                self.notes.append(Note(path, seen))
            else:
                self._lay(path, content)
                yield path, content

    def _own(self, path: str, seen: Touch) -> bytes:
        """Return a file as the user wrote it."""
        self.on_own(path, self.found[path])
        self.notes.append(Note(path, seen))
        return self.found[path]

    def _claim(self, asset: Asset, path: str) -> None:
        if not is_at(path, asset.places):
            raise GraphFault(f"{asset.name} makes {path}, which is none of its places")
        if other := self.owners.get(path):
            raise GraphFault(f"{path} is made by {other} and by {asset.name}")
        self.owners[path] = asset.name

    def _lay(self, path: str, content: bytes) -> None:
        if self.found.get(path) == content:
            self.left[path] = frozenset({digest_of(content)})
        else:
            self.writes[path] = content

    def _forgotten(self) -> Iterator[str]:
        """Forget what we wrote once and do not make any more; return what of it is there."""
        made = {path for record in self.records.values() for path in record.files}
        for path in sorted(self.left.keys() - made):
            found = self._digest(path)
            if found == ABSENT:
                del self.left[path]
            elif found in self.left[path]:
                yield path
            else:
                del self.left[path]
                self.notes.append(Note(path, Touch.ORPHANED))

    def _possible(self, path: str) -> frozenset[Digest]:
        """Return what may be at a path until it is written."""
        return self.left.get(path, frozenset()) | {self._digest(path)}

    def _digest(self, path: str) -> Digest:
        content = self.found.get(path)
        return ABSENT if content is None else digest_of(content)

    def _is_gathered(self, path: str) -> bool:
        return any(asset.gathers and is_at(path, asset.places) for asset in self.graph)


def _untouched(graph: Graph, present: Present) -> Iterator[tuple[str, frozenset[Digest]]]:
    """Return what was left; where all that is gathered is gone, nothing was: it is begun anew."""
    emptied = [
        place
        for asset in graph
        for place in asset.places
        if asset.gathers and not any(is_at(path, [place]) for path in present.files)
    ]
    for path, left in present.state.left.items():
        if not is_at(path, emptied):
            yield path, left


def _key(asset: Asset, inputs: Inputs, maker: str) -> Digest:
    """Return the digest of everything that an asset is made from."""
    parts = {
        "revision": asset.revision,
        "maker": "" if asset.lasting else maker,
        "config": configparts.digest(inputs.config),
        "payload": configparts.digest(inputs.payload) if asset.carries else "",
        "files": digests_of(inputs.files),
    }
    return digest_of(json.dumps(parts, sort_keys=True).encode())
