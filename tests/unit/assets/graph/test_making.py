"""What is made, what is kept, and what a person's changes do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.assets.graph.asset import Asset
from ingot.assets.graph.freezing import differences
from ingot.assets.graph.making import Outcome, Present, make
from ingot.assets.graph.state import State
from ingot.assets.graph.storing import decoded, encoded
from ingot.assets.graph.web import Graph, GraphFault
from tests.unit.assets.graph.smallgraph import ASSETS, counting, small_graph, sources


class Site:
    """An install directory as a dictionary."""

    def __init__(self) -> None:
        self.graph = small_graph()
        self.state = State()
        self.disk: dict[str, bytes] = {}
        self.random = counting()

    def make(self, target: str = "all", **facts: str) -> Outcome:
        outcome = make(
            self.graph,
            target,
            sources=sources(**facts, random=self.random),
            present=Present(decoded(encoded(self.state)), dict(self.disk)),
        )
        for path in outcome.removes:
            del self.disk[path]
        self.disk |= outcome.writes
        self.state = outcome.after
        return outcome


@pytest.fixture
def site() -> Site:
    return Site()


def told(outcome: Outcome) -> list[str]:
    return [str(note) for note in outcome.notes]


def test_a_target_makes_only_what_it_needs(site: Site) -> None:
    assert set(site.make("manifests").made) == {"names", "domain"}
    assert sorted(site.disk) == [
        "manifests/domain.yaml",
        "manifests/letter-a.yaml",
        "manifests/letter-b.yaml",
        "manifests/names.yaml",
    ]


def test_the_next_target_makes_only_what_is_missing(site: Site) -> None:
    site.make("manifests")
    assert set(site.make().made) == {"key", "certificate", "inner", "bundle"}


def test_nothing_is_made_or_written_twice(site: Site) -> None:
    site.make()
    again = site.make()
    assert (again.made, again.writes, again.removes, again.notes) == ((), {}, (), ())


def test_what_is_not_shown_is_not_written(site: Site) -> None:
    outcome = site.make()
    assert "etc/inner" not in site.disk
    assert outcome.files["inner"]["etc/inner"].startswith(b"example.com")


@pytest.mark.parametrize(
    ("facts", "made"),
    [
        pytest.param({"name": "abc"}, {"names", "bundle"}, id="name"),
        pytest.param({"domain": "example.org"}, {"domain", "inner", "bundle"}, id="domain"),
        pytest.param({"maker": "2.0"}, {"names", "domain", "inner", "bundle"}, id="a later Ingot"),
        pytest.param({"payload": "v2"}, {"inner", "bundle"}, id="payload"),
    ],
)
def test_only_what_depends_on_a_change_is_made_again(
    facts: dict[str, str], made: set[str], site: Site
) -> None:
    before = dict(site.make().files)
    outcome = site.make(**facts)
    assert set(outcome.made) == made
    assert outcome.files["certificate"] == before["certificate"]


def test_a_revision_makes_an_asset_again(site: Site) -> None:
    site.make()
    revised = [replace(one, revision=2) if one.name == "domain" else one for one in ASSETS]
    site.graph = Graph(revised, site.graph.targets)
    assert site.make().made == ("domain",)


def test_a_changed_file_is_used_as_it_is_and_only_what_depends_on_it_is_made(site: Site) -> None:
    site.make()
    site.disk["manifests/domain.yaml"] = b"mine"
    outcome = site.make()
    assert told(outcome) == ["manifests/domain.yaml was changed by you: used as it is"]
    assert set(outcome.made) == {"inner", "bundle"}
    assert b"mine".hex() in site.disk["bootstrap.ign"].decode()
    assert site.disk["manifests/domain.yaml"] == b"mine"


def test_a_changed_file_stays_when_what_it_was_made_from_changes(site: Site) -> None:
    site.make()
    site.disk["manifests/domain.yaml"] = b"mine"
    outcome = site.make(domain="example.org")
    (note,) = told(outcome)
    assert note.endswith("used as it is, although it would be made differently now")
    assert site.disk["manifests/domain.yaml"] == b"mine"


def test_a_change_that_is_taken_back_is_none(site: Site) -> None:
    site.make()
    bundle = site.disk["bootstrap.ign"]
    original, site.disk["manifests/domain.yaml"] = site.disk["manifests/domain.yaml"], b"mine"
    site.make()
    site.disk["manifests/domain.yaml"] = original
    assert site.make().notes == ()
    assert site.disk["bootstrap.ign"] == bundle


def test_a_changed_secret_is_used_and_what_is_signed_with_it_made_again(site: Site) -> None:
    site.make()
    site.disk["tls/ca.key"] = b"our own"
    outcome = site.make()
    assert set(outcome.made) == {"certificate", "bundle"}
    assert site.disk["tls/admin.crt"].startswith(b"signed:our own")


def test_a_file_that_is_there_before_anything_is_made_is_the_users(site: Site) -> None:
    site.disk["tls/ca.key"] = b"our own"
    outcome = site.make()
    assert told(outcome) == ["tls/ca.key is yours: used in place of the one that would be made"]
    assert site.disk["tls/ca.key"] == b"our own"


def test_an_added_manifest_is_one_of_them(site: Site) -> None:
    site.make()
    site.disk["manifests/more.yaml"] = b"more"
    outcome = site.make()
    assert told(outcome) == ["manifests/more.yaml was added by you: used with the others"]
    assert outcome.made == ("bundle",)
    assert "manifests/more.yaml" in site.disk["bootstrap.ign"].decode()


def test_a_deleted_manifest_is_left_out_and_stays_so(site: Site) -> None:
    site.make()
    del site.disk["manifests/names.yaml"]
    for domain in ("example.com", "example.org"):
        outcome = site.make(domain=domain)
        assert told(outcome) == ["manifests/names.yaml was deleted by you: left out"]
        assert "manifests/names.yaml" not in site.disk
        assert "names.yaml" not in site.disk["bootstrap.ign"].decode()


def test_where_all_manifests_are_deleted_they_are_made_anew(site: Site) -> None:
    site.make()
    before = dict(site.disk)
    for path in [path for path in site.disk if path.startswith("manifests/")]:
        del site.disk[path]
    assert site.make().notes == ()
    assert site.disk == before


def test_another_deleted_file_is_written_again_with_the_same_content(site: Site) -> None:
    site.make()
    key = site.disk.pop("tls/ca.key")
    outcome = site.make()
    assert (outcome.made, outcome.notes) == ((), ())
    assert site.disk["tls/ca.key"] == key


def test_a_file_that_is_not_made_any_more_is_removed(site: Site) -> None:
    site.make()
    outcome = site.make(name="a")
    assert outcome.removes == ("manifests/letter-b.yaml",)
    assert "letter-b" not in site.disk["bootstrap.ign"].decode()


def test_unless_it_was_changed(site: Site) -> None:
    site.make()
    site.disk["manifests/letter-b.yaml"] = b"mine"
    outcome = site.make(name="a")
    assert told(outcome) == [
        "manifests/letter-b.yaml was changed by you, and is not made any more: kept as yours"
    ]
    assert "letter-b" in site.disk["bootstrap.ign"].decode()
    assert told(site.make(name="a")) == [
        "manifests/letter-b.yaml was added by you: used with the others"
    ]


def test_what_an_earlier_version_made_and_this_one_does_not_is_removed(site: Site) -> None:
    site.make("manifests")
    rest = [
        replace(one, needs=("names",)) if one.name == "manifests" else one
        for one in ASSETS
        if one.name not in ("domain", "bundle", "inner")
    ]
    site.graph = Graph(rest, {"manifests": ("manifests",)})
    assert site.make("manifests").removes == ("manifests/domain.yaml",)


def test_differences_name_fields_and_files(site: Site) -> None:
    site.make()
    before = site.state
    site.disk["manifests/more.yaml"] = b"more"
    found = differences(before, site.make(domain="example.org"))
    assert found.fields == ("baseDomain",)
    assert {"manifests/more.yaml", "manifests/domain.yaml", "bootstrap.ign"} <= set(found.files)
    assert "tls/ca.key" not in found.files


def test_there_are_none_when_nothing_changed_or_more_is_made(site: Site) -> None:
    site.make("manifests")
    assert not differences(site.state, site.make())


@pytest.mark.parametrize(
    ("asset", "sentence"),
    [
        pytest.param(ASSETS[0], "two assets have the same name", id="twice"),
        pytest.param(
            Asset(name="x", about="", make=lambda _: {}, needs=("y",), places=()),
            "there is no asset y",
            id="unknown",
        ),
        pytest.param(
            Asset(name="x", about="", make=lambda _: {}, needs=("x",), places=()),
            "assets need each other: x -> x",
            id="circle",
        ),
        pytest.param(
            Asset(name="x", about="", make=lambda _: {}, places=("manifests/x.yaml",)),
            "x writes where manifests gathers",
            id="not gathered",
        ),
    ],
)
def test_assets_that_do_not_fit_together_are_refused(asset: Asset, sentence: str) -> None:
    with pytest.raises(GraphFault, match=sentence):
        Graph([*ASSETS, asset], {})


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        pytest.param("elsewhere", "x makes elsewhere, which is none of its places", id="place"),
        pytest.param("tls/ca.key", "tls/ca.key is made by .* and by .*", id="twice"),
    ],
)
def test_an_asset_that_makes_what_it_did_not_say_is_refused(
    path: str, sentence: str, site: Site
) -> None:
    extra = Asset(name="x", about="", make=lambda _: {path: b""}, places=("tls/*",))
    site.graph = Graph([*ASSETS, extra], {"all": ("bundle", "x")})
    with pytest.raises(GraphFault, match=sentence):
        site.make()


def test_an_asset_that_reads_more_than_it_says_fails_at_once(site: Site) -> None:
    extra = Asset(
        name="x",
        about="",
        make=lambda inputs: {"x": inputs.config.base_domain.encode()},
        reads=("metadata.name",),
        places=("x",),
    )
    site.graph = Graph([extra], {"all": ("x",)})
    with pytest.raises(AttributeError, match="base_domain"):
        site.make()
