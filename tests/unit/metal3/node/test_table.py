"""Every goal in every state that a node can be in: the answer, as a table."""

from __future__ import annotations

import re

import pytest

from ingot.ironic.states import ProvisionState
from ingot.metal3.node.advancing import advance
from tests.unit.metal3.node.nodes import host, node
from tests.unit.metal3.node.wishes import GOALS
from tests.unit.metal3.node.words import said

MISSING = "missing"
# Answer: the states in which it is given. An answer is what `words.said` makes of it; with an
# exclamation mark it begins the work that the goal names.
TABLE = {
    "register": """
        create+port+manage!: missing
        manage!: enroll
        wait: verifying
        done: manageable, inspecting, inspect wait, inspect failed, cleaning, clean wait,
            clean hold, clean failed, available, deploying, wait call-back, deploy hold,
            deploy failed, active, deleting, error, adopting, adopt failed, servicing,
            service wait, service hold, service failed, rescue, rescuing, rescue wait,
            rescue failed, unrescuing, unrescue failed, unknown
    """,
    "register again": """
        create+port+manage!: missing
        patch+manage!: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait, rescuing,
            rescue wait, unrescuing, unknown
        patch!: manageable, inspect failed, clean failed, available, deploy failed, active,
            error, adopt failed, service hold, service failed, rescue, rescue failed,
            unrescue failed
    """,
    "inspect": """
        create+port+manage: missing
        manage: enroll, clean failed, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        inspect!: manageable
        failed: inspect failed, active, error, service failed, rescue, rescue failed,
            unrescue failed
        deleted: deploy failed
    """,
    "inspect again": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        inspect!: manageable
        deleted: deploy failed
        failed: active, error, service failed, rescue, rescue failed, unrescue failed
    """,
    "inspect anew": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available, adopt failed
        wait: verifying, inspecting, cleaning, clean hold, deploying, wait call-back, deploy hold,
            deleting, adopting, servicing, service wait, service hold, rescuing, rescue wait,
            unrescuing, unknown
        inspect!: manageable
        abort!: inspect wait
        abort: clean wait
        deleted: deploy failed
        failed: active, error, service failed, rescue, rescue failed, unrescue failed
    """,
    "prepare": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        clean!: manageable
        deleted: deploy failed
        failed: active, error, service failed, rescue, rescue failed, unrescue failed
    """,
    "prepare started": """
        create+port+manage: missing
        manage: enroll, inspect failed, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        done: manageable, available
        failed: clean failed, active, error, service failed, rescue, rescue failed,
            unrescue failed
        deleted: deploy failed
    """,
    "prepare again": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        clean!: manageable
        deleted: deploy failed
        failed: active, error, service failed, rescue, rescue failed, unrescue failed
    """,
    "prepare anew": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available, adopt failed
        wait: verifying, inspecting, cleaning, clean hold, deploying, wait call-back, deploy hold,
            deleting, adopting, servicing, service wait, service hold, rescuing, rescue wait,
            unrescuing, unknown
        abort: inspect wait, clean wait
        clean!: manageable
        deleted: deploy failed
        failed: active, error, service failed, rescue, rescue failed, unrescue failed
    """,
    "prepare nothing": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        done: manageable, available
        deleted: deploy failed
        failed: active, error, service failed, rescue, rescue failed, unrescue failed
    """,
    "provision": """
        create+port+manage: missing
        manage: enroll, inspect failed, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        provide: manageable
        failed: clean failed, error, service failed, rescue, rescue failed, unrescue failed
        patch+validate+deploy!: available, deploy failed
        done: active
    """,
    "provision forced": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, adopt failed
        wait: verifying, inspecting, cleaning, clean hold, deploying, deploy hold, deleting,
            adopting, servicing, service wait, service hold, rescuing, rescue wait, unrescuing,
            unknown
        abort: inspect wait, clean wait
        provide!: manageable
        failed: error, service failed, rescue, rescue failed, unrescue failed
        patch+validate+deploy!: available, deploy failed
        deleted!: wait call-back
        done: active
    """,
    "adopt": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, rescuing, rescue wait, unrescuing,
            unknown
        patch+adopt!: manageable
        failed: deploy failed, error, adopt failed, rescue, rescue failed, unrescue failed
        done: active, servicing, service wait, service hold, service failed
    """,
    "adopt again": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, rescuing, rescue wait, unrescuing,
            unknown
        patch+adopt!: manageable
        failed: deploy failed, error, rescue, rescue failed, unrescue failed
        done: active, servicing, service wait, service hold, service failed
    """,
    "deprovision": """
        create+port+manage: missing
        manage: enroll, inspect failed, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            deleting, adopting, servicing, rescuing, unrescuing, unknown
        provide!: manageable
        failed: clean failed, error
        done: available
        deleted!: wait call-back, deploy failed, active, service wait, service failed, rescue,
            rescue wait, rescue failed, unrescue failed
        abort: deploy hold, service hold
    """,
    "deprovision again": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            deleting, adopting, servicing, rescuing, unrescuing, unknown
        provide!: manageable
        done: available
        deleted!: wait call-back, deploy failed, active, error, service wait, service failed,
            rescue, rescue wait, rescue failed, unrescue failed
        abort: deploy hold, service hold
    """,
    "deprovision anew": """
        create+port+manage: missing
        manage: enroll, inspect failed, clean failed, adopt failed
        wait: verifying, inspecting, cleaning, clean hold, deploying, deleting, adopting,
            servicing, rescuing, unrescuing, unknown
        provide!: manageable
        failed: error
        done: available
        deleted!: wait call-back, deploy failed, active, service wait, service failed, rescue,
            rescue wait, rescue failed, unrescue failed
        abort: inspect wait, clean wait, deploy hold, service hold
    """,
    "on": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, deploying,
            wait call-back, deleting, adopting, servicing, service wait, rescuing, rescue wait,
            unrescuing, unknown
        on!: manageable, inspect failed, clean hold, clean failed, available, deploy hold,
            deploy failed, active, error, adopt failed, service hold, service failed, rescue,
            rescue failed, unrescue failed
    """,
    "off": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, deploying,
            wait call-back, deleting, adopting, servicing, service wait, rescuing, rescue wait,
            unrescuing, unknown
        soft-off!: manageable, inspect failed, clean hold, clean failed, available, deploy hold,
            deploy failed, active, error, adopt failed, service hold, service failed, rescue,
            rescue failed, unrescue failed
    """,
    "off hard abort": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, cleaning, deploying, wait call-back, deleting, adopting,
            servicing, service wait, rescuing, rescue wait, unrescuing, unknown
        off!: manageable, inspect failed, clean hold, clean failed, available, deploy hold,
            deploy failed, active, error, adopt failed, service hold, service failed, rescue,
            rescue failed, unrescue failed
        abort: inspect wait, clean wait
    """,
    "service": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        failed: manageable, inspect failed, clean failed, available, deploy failed, error,
            adopt failed, rescue, rescue failed, unrescue failed
        service!: active, service failed
    """,
    "service started": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        failed: manageable, inspect failed, clean failed, available, deploy failed, error,
            adopt failed, service failed, rescue, rescue failed, unrescue failed
        done: active
    """,
    "service again": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service wait,
            service hold, rescuing, rescue wait, unrescuing, unknown
        failed: manageable, inspect failed, clean failed, available, deploy failed, error,
            adopt failed, rescue, rescue failed, unrescue failed
        service!: active, service failed
    """,
    "service anew": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, service hold, rescuing,
            rescue wait, unrescuing, unknown
        failed: manageable, inspect failed, clean failed, available, deploy failed, error,
            adopt failed, rescue, rescue failed, unrescue failed
        service!: active, service failed
        abort: service wait
    """,
    "service withdrawn": """
        create+port+manage: missing
        manage: enroll
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, clean hold, deploying,
            wait call-back, deploy hold, deleting, adopting, servicing, rescuing, rescue wait,
            unrescuing, unknown
        failed: manageable, inspect failed, clean failed, available, deploy failed, error,
            adopt failed, rescue, rescue failed, unrescue failed
        done: active
        abort: service wait, service hold, service failed
    """,
    "delete": """
        done: missing
        delete!: enroll, manageable, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, deploying,
            wait call-back, deleting, adopting, servicing, service wait, rescuing, rescue wait,
            unrescuing, unknown
        hold+delete!: inspect failed, clean hold, clean failed, deploy hold, deploy failed,
            active, error, service hold, service failed, rescue, rescue failed, unrescue failed
    """,
    "delete force": """
        done: missing
        delete!: enroll, manageable, available, adopt failed
        hold+delete!: verifying, inspecting, inspect failed, cleaning, clean hold, clean failed,
            deploying, deploy hold, deploy failed, active, deleting, error, adopting, servicing,
            service hold, service failed, rescue, rescuing, rescue failed, unrescuing,
            unrescue failed, unknown
        abort: inspect wait, clean wait, wait call-back, service wait, rescue wait
    """,
    "detach": """
        done: missing
        delete!: enroll, manageable, available, adopt failed
        wait: verifying, inspecting, inspect wait, cleaning, clean wait, deploying,
            wait call-back, deleting, adopting, servicing, service wait, rescuing, rescue wait,
            unrescuing, unknown
        hold+delete!: inspect failed, clean hold, clean failed, deploy hold, deploy failed,
            active, error, service hold, service failed, rescue, rescue failed, unrescue failed
    """,
}


def rows(goal: str) -> dict[str, str]:
    """Return the answers of a goal by the state that each is given in."""
    found: dict[str, str] = {}
    for line in re.sub(r",\s+", ", ", TABLE[goal]).strip().splitlines():
        answer, _, states = line.strip().partition(": ")
        for state in states.split(", "):
            assert state not in found
            found[state] = answer
    return found


@pytest.mark.parametrize("goal", GOALS)
def test_a_table_has_every_state_once(goal: str) -> None:
    assert rows(goal).keys() == {MISSING, *(state.value for state in ProvisionState)}


@pytest.mark.parametrize(
    ("goal", "state"), [(goal, state) for goal in GOALS for state in (MISSING, *ProvisionState)]
)
def test_every_goal_has_its_answer_in_every_state(goal: str, state: str) -> None:
    seen = None
    if state != MISSING:
        there = ProvisionState(state)
        seen = node(
            there,
            power_state="power off" if goal == "on" else "power on",
            last_error="it broke" if there.is_failed else None,
        )
    assert said(advance(GOALS[goal], host(), seen)) == rows(goal)[str(state)]
