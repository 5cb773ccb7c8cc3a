"""Label selectors, in both dialects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.machineapi.api.providerspec import HostSelector, Requirement
from ingot.machineapi.labels import as_text, matches, mistakes

LABELS = {"rack": "a", "gpu": ""}

NAMES = st.sampled_from(["rack", "gpu", "row"])
VALUES = st.sampled_from(["a", "b", ""])


def rule(key: str, operator: str, *values: str) -> HostSelector:
    return HostSelector(match_expressions=(Requirement(key=key, operator=operator, values=values),))


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        (HostSelector(), True),
        (HostSelector(match_labels={"rack": "a"}), True),
        (HostSelector(match_labels={"rack": "b"}), False),
        (HostSelector(match_labels={"row": ""}), False),
        (rule("rack", "In", "a", "b"), True),
        (rule("rack", "in", "b"), False),
        (rule("rack", "=", "a"), True),
        (rule("row", "In", "a"), False),
        (rule("rack", "NotIn", "a"), False),
        (rule("rack", "notin", "b"), True),
        (rule("row", "NotIn", "a"), True),
        (rule("gpu", "Exists"), True),
        (rule("row", "exists"), False),
        (rule("gpu", "DoesNotExist"), False),
        (rule("row", "!"), True),
        (rule("rack", "gt", "1"), False),
    ],
)
def test_a_host_is_matched_when_every_rule_holds(selector: HostSelector, fits: bool) -> None:  # noqa: FBT001
    assert matches(selector, LABELS) is fits


@pytest.mark.parametrize(
    ("selector", "told"),
    [
        (rule("rack", "gt", "1"), "operator 'gt' is none of In, NotIn, Exists, DoesNotExist"),
        (rule("rack", "In"), "values is empty, and In needs some"),
        (rule("rack", "Exists", "a"), "values is given, and Exists takes none"),
        (rule("", "Exists"), "key is missing"),
    ],
)
def test_a_rule_that_cannot_be_used_is_named_with_its_place(
    selector: HostSelector, told: str
) -> None:
    assert mistakes(selector, "hostSelector") == [f"hostSelector.matchExpressions[0].{told}"]


def test_a_selector_is_written_as_kubectl_takes_it() -> None:
    selector = HostSelector(
        match_labels={"b": "2", "a": "1"},
        match_expressions=(
            Requirement(key="rack", operator="NotIn", values=("y", "x")),
            Requirement(key="gpu", operator="Exists"),
            Requirement(key="old", operator="DoesNotExist"),
        ),
    )
    assert as_text(selector) == "a=1,b=2,rack notin (x,y),gpu,!old"


@given(NAMES, st.lists(VALUES, min_size=1), st.dictionaries(NAMES, VALUES))
def test_a_rule_and_its_opposite_never_agree(
    key: str, values: list[str], labels: dict[str, str]
) -> None:
    assert matches(rule(key, "In", *values), labels) is not matches(
        rule(key, "NotIn", *values), labels
    )
    assert matches(rule(key, "Exists"), labels) is not matches(rule(key, "DoesNotExist"), labels)
