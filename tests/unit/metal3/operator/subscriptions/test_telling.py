"""What is told of subscriptions, and what is not."""

from __future__ import annotations

import pytest

from ingot.kube.kind import ObjectKey
from ingot.metal3.operator.hostdata import Mistake
from ingot.metal3.operator.secrets import Secret
from ingot.metal3.operator.subscriptions.telling import headers_in, is_gone, without_secrets

KEY = ObjectKey("metal3", "headers")
HEADERS = ({"Authorization": "Bearer h'us\nh"}, {"X-Empty": ""})
PAYLOAD = {"Destination": "https://a", "HttpHeaders": [{"Authorization": "Bearer h'us\nh"}]}


def test_each_key_is_a_header() -> None:
    secret = Secret(KEY, "1", {"b": b"2", "a": b"1"})
    assert headers_in(secret) == ({"a": "1"}, {"b": "2"})


def test_a_header_that_is_no_text_is_named() -> None:
    with pytest.raises(Mistake, match="metal3/headers, key `a`"):
        headers_in(Secret(KEY, "1", {"a": b"\xff"}))


@pytest.mark.parametrize(
    "sentence",
    [
        f"Failed to create. Subscription payload: {PAYLOAD}. Error: HTTP POST returned code 400",
        f"Failed to create. Subscription payload: {str(PAYLOAD)[:60]}",
        "HTTP POST returned code 400: no header Bearer h'us\nh please",
        "HTTP POST returned code 400: no header Bearer h'us\\nh please",
    ],
)
def test_headers_are_never_told(sentence: str) -> None:
    told = without_secrets(sentence, HEADERS)
    assert "h'us" not in told
    assert "Destination" not in told
    assert ("code 400" in told) is ("code 400" in sentence)


def test_only_the_bmc_can_say_that_a_subscription_is_gone() -> None:
    gone = "delete_subscription failed. Error: Resource https://bmc/Subscriptions/7 not found"
    away = "delete_subscription failed. Error: Unable to connect to https://bmc/Subscriptions/7"
    assert is_gone(gone)
    assert not is_gone(away)
    assert not is_gone("Node 7 could not be found.")
