"""The graph as people and programs read it: a tree, JSON, or the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from ingot.assets.graph.asset import Asset
from ingot.assets.graph.web import Graph

__all__ = ["as_dot", "as_json", "as_tree"]


def as_tree(graph: Graph, target: str) -> Iterator[str]:
    """Return the lines of a tree: an asset, below it what it needs; told in full only once."""
    told: set[str] = set()
    yield target
    names = graph.targets[target]
    for index, name in enumerate(names):
        yield from _branch(graph, graph[name], "", last=index == len(names) - 1, told=told)


def as_json(graph: Graph, target: str) -> dict[str, object]:
    """Return a target's assets for programs, each after those it needs."""
    return {
        "target": target,
        "assets": [
            {
                "name": asset.name,
                "about": asset.about,
                "needs": list(asset.needs),
                "reads": list(asset.reads),
                "payload": asset.carries,
                "places": list(asset.places),
                "shown": asset.shown,
            }
            for asset in graph.closure(target)
        ],
    }


def as_dot(graph: Graph, target: str) -> Iterator[str]:
    """Return the lines of a drawing for Graphviz: `dot -Tsvg`."""
    yield "digraph assets {"
    yield "  rankdir=LR;"
    yield '  node [shape=box, fontname="sans-serif"];'
    root = _quoted(f"target {target}")
    yield f"  {root} [label={_quoted(target)}, shape=oval];"
    for name in graph.targets[target]:
        yield f"  {root} -> {_quoted(name)};"
    for asset in graph.closure(target):
        style = "" if asset.shown else ", style=dashed"
        yield f"  {_quoted(asset.name)} [label={_quoted(asset.name, *asset.places)}{style}];"
        for need in asset.needs:
            yield f"  {_quoted(asset.name)} -> {_quoted(need)};"
    yield "}"


def _branch(
    graph: Graph, asset: Asset, before: str, *, last: bool, told: set[str]
) -> Iterator[str]:
    again = asset.name in told and bool(asset.needs)
    told.add(asset.name)
    places = ", ".join(asset.places) if asset.shown else "inside others"
    turn, below = ("└── ", "    ") if last else ("├── ", "│   ")
    yield f"{before}{turn}{asset.name}  {'(above)' if again else places}"
    for index, need in enumerate(() if again else asset.needs):
        yield from _branch(
            graph, graph[need], before + below, last=index == len(asset.needs) - 1, told=told
        )


def _quoted(*lines: str) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
