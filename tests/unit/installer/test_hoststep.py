"""What is being done with a server, in words."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.installer.hoststep import step_of


def host(state: str, doing: str = "", **annotations: str) -> dict[str, Any]:
    conditions = [
        {"type": "Manageable", "message": "not this one"},
        {"type": "Progressing", "message": doing},
    ]
    return {
        "metadata": {"name": "cp-0", "annotations": annotations},
        "status": {"provisioning": {"state": state}, "conditions": conditions},
    }


def node(ready: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "Ready", "status": ready}]}}


def step(
    host: dict[str, Any],
    *,
    node: dict[str, Any] | None = None,
    report: dict[str, Any] | None = None,
    share: float | None = None,
) -> str:
    return step_of(host, node=node, report=report, share=share)


@pytest.mark.parametrize(
    ("doing", "words"),
    [
        ("waiting for a DHCP request after power on", "waiting for a DHCP request after power on"),
        ("inspect wait", "its agent looks at the hardware"),
        ("wait call-back", "its agent is at work"),
        ("", ""),
    ],
)
def test_the_operator_says_it_and_ironics_words_are_put_into_ours(doing: str, words: str) -> None:
    assert step(host("provisioning", doing)) == words


def test_a_server_that_takes_its_image_is_written_to() -> None:
    assert step(host("provisioning", "wait call-back"), share=0.1) == "writing the image"


def test_after_its_image_a_server_boots_until_it_says_something() -> None:
    assert step(host("provisioned")) == "boots from its disk"
    assert step(host("provisioned"), report={}) == "boots from its disk"


@pytest.mark.parametrize(("failed", "verb"), [(False, "joins"), (True, "failed")])
def test_a_server_that_joins_speaks_for_itself(verb: str, *, failed: bool) -> None:
    said = {"phase": "preflight", "message": "running checks", "failed": failed}
    assert step(host("provisioned"), report=said) == f"{verb}: running checks"


@pytest.mark.parametrize(
    ("ready", "words"), [("True", "is a node"), ("False", "is a node, and not Ready yet")]
)
def test_a_node_is_one_whatever_was_reported_before(ready: str, words: str) -> None:
    said = {"phase": "join", "message": "try 1", "failed": True}
    assert step(host("provisioned"), node=node(ready), report=said) == words


def test_a_worker_that_is_held_back_waits_for_the_hand_over() -> None:
    held = host("", **{"baremetalhost.metal3.io/paused": "ingot"})
    assert step(held) == "waits for the hand-over"


@pytest.mark.parametrize(
    ("state", "doing", "spec", "words"),
    [
        ("available", "", {}, "is free"),
        ("ready", "", {}, "is free"),
        ("inspecting", "inspect wait", {}, "its agent looks at the hardware"),
        ("registering", "", {}, ""),
        (
            "available",
            "",
            {"consumerRef": {"name": "worker-a"}},
            "is claimed by a Machine, and waits for its image",
        ),
        ("available", "power on", {"consumerRef": {"name": "worker-a"}}, "power on"),
        ("available", "", {"image": {"url": "http://192.0.2.5/disk.img"}}, ""),
    ],
)
def test_a_server_without_work_is_free_or_waits_for_it(
    state: str, doing: str, spec: dict[str, Any], words: str
) -> None:
    assert step({**host(state, doing), "spec": spec}) == words


def test_a_host_that_the_operator_has_not_seen_has_no_step() -> None:
    assert step({"metadata": {"name": "cp-0"}}) == ""
