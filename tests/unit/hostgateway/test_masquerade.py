"""What is loaded is compared by content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingot.hostgateway.masquerade import Masquerade, is_loaded
from ingot.hostgateway.problem import BadAnswerError
from tests.unit.hostgateway.clusters import CLUSTER, A

BOTH = Masquerade(A.pod_networks, CLUSTER)
CHAIN = {"family": "inet", "name": "postrouting", "hook": "postrouting", "prio": 100}


def listing(rules: list[Any], chain: dict[str, Any] = CHAIN) -> str:
    named = [{"rule": {"chain": "postrouting", "expr": one}} for one in rules]
    return json.dumps({"nftables": [{"metainfo": {}}, {"chain": chain}, *named]})


def test_the_rendered_table_looks_like_this() -> None:
    assert (
        BOTH.render()
        == """\
table inet ingot_hostgateway
delete table inet ingot_hostgateway
table inet ingot_hostgateway {
    chain postrouting {
        type nat hook postrouting priority 100; policy accept;
        oifname "cni0" return
        ip daddr 10.128.0.0/14 return
        ip6 daddr fd01::/48 return
        ip saddr 10.128.0.0/23 masquerade fully-random
        ip6 saddr fd01:0:0:1::/64 masquerade fully-random
    }
}
"""
    )


def test_what_is_loaded_as_wanted_is_known_again() -> None:
    assert is_loaded(BOTH, listing(BOTH.expressions()))


def test_a_flag_may_be_shown_in_a_list() -> None:
    rules = BOTH.expressions()
    text = listing(rules).replace('"fully-random"', '["fully-random"]')
    assert is_loaded(BOTH, text)


def test_one_rule_less_another_order_or_another_hook_is_something_else() -> None:
    rules = BOTH.expressions()
    assert not is_loaded(BOTH, listing(rules[:-1]))
    assert not is_loaded(BOTH, listing([*rules[1:], rules[0]]))
    assert not is_loaded(BOTH, listing([*rules, rules[-1]]))
    assert not is_loaded(BOTH, listing(rules, {**CHAIN, "prio": 0}))


@pytest.mark.parametrize("said", ["", "{}", "[]", '{"nftables": [{"rule": {}}]}'])
def test_an_answer_of_another_kind_is_refused(said: str) -> None:
    with pytest.raises(BadAnswerError):
        is_loaded(BOTH, said)
