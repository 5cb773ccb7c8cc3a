"""What Ironic says, in words that help, and without what nobody should see."""

from __future__ import annotations

import pytest

from ingot.metal3.node.meaning import explained


def test_error_that_speaks_for_itself_is_left_as_it_is() -> None:
    assert explained("no route to host") == "no route to host"


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("verify failed: certificate is not yet valid (_ssl.c:1029)", "clock of the server is ahe"),
        ("verify failed: certificate has expired (_ssl.c:1029)", "clock of the server is far behi"),
        (
            "Unable to write image to device /dev/sda. Error: [Errno 28] No space left on device",
            "disk is too small for the image",
        ),
        ("No suitable device was found for deployment using these hints {}", "less than 4 GiB"),
        ("Unable to find a valid partition table on the disk", "disk does not keep what is"),
    ],
)
def test_error_that_does_not_is_explained(words: str, meaning: str) -> None:
    told = explained(words)
    assert meaning in told
    assert told.endswith(words)


@pytest.mark.parametrize("secret", ["agent_token", "password", "token"])
def test_nothing_secret_is_told(secret: str) -> None:
    told = explained(
        f"retries exceeded with url: /v1/commands/?wait=1&{secret}=HwULu_1h (Caused by"
    )
    assert told == f"retries exceeded with url: /v1/commands/?wait=1&{secret}=*** (Caused by"
