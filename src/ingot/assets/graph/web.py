"""The assets together: checked once, when they are put together, and brought into an order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from ingot.assets.graph.asset import Asset
from ingot.assets.graph.files import is_at

__all__ = ["Graph", "GraphFault"]


class GraphFault(Exception):  # noqa: N818 - it says what was seen
    """The assets do not fit together; a defect of ours."""


class Graph:
    """Assets by name, each after those it needs."""

    def __init__(self, assets: Iterable[Asset], targets: Mapping[str, tuple[str, ...]]) -> None:
        """Put assets together.

        Args:
            assets: in any order.
            targets: what a person can ask for, each with the assets that it is.

        Raises:
            GraphFault: a name is used twice or not there, they go in a circle, or one may write
                where another gathers without being gathered.
        """
        listed = tuple(assets)
        known = {asset.name: asset for asset in listed}
        if len(known) != len(listed):
            raise GraphFault("two assets have the same name")
        self.targets = dict(targets)
        for name in (*(need for asset in listed for need in asset.needs), *_flat(targets)):
            if name not in known:
                raise GraphFault(f"there is no asset {name}")
        try:
            order = tuple(TopologicalSorter({a.name: a.needs for a in listed}).static_order())
        except CycleError as circle:
            raise GraphFault(f"assets need each other: {' -> '.join(circle.args[1])}") from None
        self.assets = {name: known[name] for name in order}
        for asset in filter(lambda asset: asset.gathers, listed):
            self._check_gathering(asset)

    def __iter__(self) -> Iterator[Asset]:
        return iter(self.assets.values())

    def __getitem__(self, name: str) -> Asset:
        return self.assets[name]

    def closure(self, target: str) -> tuple[Asset, ...]:
        """Return the assets of a target and all they need, each after those it needs."""
        wanted = set(self.targets[target])
        for asset in reversed(self.assets.values()):
            if asset.name in wanted:
                wanted.update(asset.needs)
        return tuple(asset for asset in self if asset.name in wanted)

    def _check_gathering(self, gathering: Asset) -> None:
        for asset in self:
            touches = any(is_at(place, gathering.places) for place in asset.places)
            if touches and asset is not gathering and asset.name not in gathering.needs:
                raise GraphFault(f"{asset.name} writes where {gathering.name} gathers")


def _flat(targets: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for names in targets.values():
        yield from names
