"""Image mirrors."""

from __future__ import annotations

import json

import pytest

from tests.unit.config.configs import Case, accepted, changed, places_of, refused, table, warned

NEW, OLD = "imageDigestSources", "imageContentSources"
SOURCE = {"source": "registry.k8s.io", "mirrors": ["mirror.example.com:5000/k8s"]}
PULL_SECRET = {"pullSecret": json.dumps({"auths": {"mirror.example.com:5000": {"auth": "dTpw"}}})}
DIGEST = "sha256:" + "ab" * 32


def mirrored(*mirrors: str) -> dict[str, object]:
    return {NEW: [{"source": "registry.k8s.io", "mirrors": list(mirrors)}]}


CASES = table(
    accepted("G14", "no mirrors"),
    accepted("G14", "a mirror", {NEW: [SOURCE]}),
    accepted("G14", "a source without mirrors", {NEW: [{"source": "quay.io/org/app"}]}),
    accepted("G14", "IPv6", mirrored("[2001:db8::1]:5000/k8s")),
    accepted("G14", "the old list", {OLD: [SOURCE]}),
    accepted("G14", "a policy", {NEW: [{**SOURCE, "sourcePolicy": "NeverContactSource"}]}),
    accepted("G14", "a mirror that the pull secret knows", {NEW: [SOURCE]}, PULL_SECRET),
    refused(
        "G14",
        f"{NEW}[0].source",
        "no source",
        {NEW: [{"mirrors": ["m.example.com"]}]},
        says="not given",
    ),
    refused(
        "G14",
        f"{NEW}[0].source",
        "a scheme",
        {NEW: [{"source": "https://quay.io"}]},
        says="'https://quay.io'",
    ),
    refused("G14", f"{NEW}[0].source", "upper case", {NEW: [{"source": "quay.io/Org"}]}),
    refused(
        "G14", f"{OLD}[0].source", "a tag in the old list", {OLD: [{"source": "quay.io/app:v1"}]}
    ),
    refused(
        "G14", f"{NEW}[0].mirrors[1]", "a tag", mirrored("m.example.com", "m.example.com/k8s:v1")
    ),
    refused(
        "G14",
        f"{NEW}[0].mirrors[0]",
        "a digest",
        mirrored(f"m.example.com/k8s@{DIGEST}"),
        says=DIGEST,
    ),
    refused("G14", f"{NEW}[0].mirrors[0]", "a space", mirrored("m.example.com/ k8s")),
    refused(
        "G14",
        f"{NEW}[0].sourcePolicy",
        "a policy without mirrors",
        {NEW: [{"source": "quay.io", "sourcePolicy": "NeverContactSource"}]},
        says="without mirrors",
    ),
    refused(
        "G14",
        f"{NEW}[0].sourcePolicy",
        "another policy",
        {NEW: [{**SOURCE, "sourcePolicy": "Never"}]},
        says="'Never' is none of AllowContactingSource, NeverContactSource",
    ),
    refused("G14", OLD, "both lists", {NEW: [SOURCE], OLD: [SOURCE]}, says="both given"),
    warned(
        "G14",
        f"{NEW}[0].mirrors[1]",
        "a mirror that the pull secret does not know",
        {NEW: [{**SOURCE, "mirrors": ["mirror.example.com:5000/k8s", "other.example.com"]}]},
        PULL_SECRET,
        says="no entry for other.example.com",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_mirror_rules(case: Case) -> None:
    case.check()


def test_mirrors_of_the_old_list_are_looked_up_in_the_pull_secret_too() -> None:
    report = changed(
        {OLD: [{"source": "quay.io", "mirrors": ["m.example.com"]}]}, PULL_SECRET
    ).report()

    assert places_of(report.warnings) == [("D1", OLD), ("G14", f"{OLD}[0].mirrors[0]")]


@pytest.mark.parametrize("auths", [[1], [["a"]], "abc", 5, None, {}], ids=json.dumps)
def test_a_pull_secret_of_any_shape_is_one_error(auths: object) -> None:
    secret = {"pullSecret": json.dumps({"auths": auths})}

    assert places_of(changed({NEW: [SOURCE]}, secret).report().problems) == [("G12", "pullSecret")]


def test_an_unusable_mirror_leaves_the_index_of_the_next_one_right() -> None:
    report = changed(
        {NEW: [{"source": "quay.io", "mirrors": [None, "a b", {"c": 1}, "d e"]}]}
    ).report()
    mirrors = f"{NEW}[0].mirrors"

    assert places_of(report.errors) == [
        ("F7", f"{mirrors}[0]"),
        ("G14", f"{mirrors}[1]"),
        ("F7", f"{mirrors}[2]"),
        ("G14", f"{mirrors}[3]"),
    ]
