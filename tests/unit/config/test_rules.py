"""The registry: every rule of the field's installer has its place, and every rule its tests."""

from __future__ import annotations

import pytest

from ingot.config.registry import RETIRED, RULES, check, declare, retire
from tests.unit.config import (
    test_conversion,
    test_document,
    test_foreign,
    test_general,
    test_hosts,
    test_mirrors,
    test_networking,
    test_pools,
    test_provisioning,
    test_proxy,
    test_shape,
    test_staticnetwork,
    test_trust,
    test_vips,
)
from tests.unit.config.configs import ACCEPTED, REFUSED

TABLES = [
    test_conversion.CASES,
    test_conversion.CONFLICTS,
    test_document.CASES,
    test_document.DUPLICATES,
    test_foreign.CASES,
    test_general.CASES,
    test_hosts.CASES,
    test_mirrors.CASES,
    test_networking.CASES,
    test_pools.CASES,
    test_provisioning.CASES,
    test_proxy.CASES,
    test_shape.CASES,
    test_staticnetwork.CASES,
    test_trust.CASES,
    test_vips.CASES,
]

THE_INSTALLERS_OWN = {
    f"{letter}{number}"
    for letter, count in {"C": 3, "G": 21, "N": 13, "P": 5, "M": 15, "B": 13, "R": 17}.items()
    for number in range(1, count + 1)
}
"""The ids of the rules of the field's own installer."""


def test_every_rule_of_the_installer_is_kept_or_retired() -> None:
    assert not THE_INSTALLERS_OWN - RULES.keys() - RETIRED.keys()


def test_no_rule_is_both_kept_and_retired() -> None:
    assert not RULES.keys() & RETIRED.keys()


def test_other_rules_have_letters_of_their_own() -> None:
    assert {rule[0] for rule in RULES.keys() - THE_INSTALLERS_OWN} == set("DFOUX")


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_has_a_case_that_it_accepts_and_one_that_it_refuses(rule: str) -> None:
    assert rule in ACCEPTED
    assert rule in REFUSED


def test_no_table_is_about_a_rule_that_is_not_there() -> None:
    assert RULES.keys() == ACCEPTED | REFUSED


def test_cases_are_told_apart_by_their_names() -> None:
    names = [str(case) for cases in TABLES for case in cases]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_states_what_it_demands_in_a_sentence(rule: str) -> None:
    statement = RULES[rule].statement

    assert statement.endswith(".")
    assert "\n" not in statement
    assert not RULES[rule].note or RULES[rule].note.endswith(".")


def test_every_retired_rule_says_why() -> None:
    assert all(retired.reason.endswith(".") for retired in RETIRED.values())


def test_an_id_is_used_once() -> None:
    with pytest.raises(ValueError, match="P1 is registered twice"):
        declare("P1", "Again.")
    with pytest.raises(ValueError, match="P1 is registered twice"):
        retire("P1", reason="again.")
    with pytest.raises(ValueError, match="G3 is registered twice"):
        check("G3", "Again.")(lambda _: iter(()))
