"""The graph as people and programs read it."""

from __future__ import annotations

from ingot.assets.graph import drawing
from tests.unit.assets.graph.smallgraph import small_graph


def test_a_tree_tells_each_asset_in_full_once() -> None:
    assert list(drawing.as_tree(small_graph(), "all")) == [
        "all",
        "└── bundle  bootstrap.ign",
        "    ├── manifests  manifests/*.yaml",
        "    │   ├── names  manifests/names.yaml, manifests/letter-*.yaml",
        "    │   └── domain  manifests/domain.yaml",
        "    ├── certificate  tls/admin.crt",
        "    │   └── key  tls/ca.key",
        "    └── inner  inside others",
        "        └── domain  manifests/domain.yaml",
    ]


def test_json_has_each_asset_after_those_it_needs() -> None:
    told = drawing.as_json(small_graph(), "manifests")
    assets = told["assets"]
    assert isinstance(assets, list)
    assert [one["name"] for one in assets] == ["names", "domain", "manifests"]
    assert assets[0]["reads"] == ["metadata.name"]


def test_dot_has_a_node_for_each_asset_and_an_arrow_for_each_need() -> None:
    lines = list(drawing.as_dot(small_graph(), "manifests"))
    assert lines[0] == "digraph assets {"
    assert lines[-1] == "}"
    assert '  "target manifests" -> "manifests";' in lines
    assert '  "manifests" -> "names";' in lines
    assert sum("->" in line for line in lines) == 3
