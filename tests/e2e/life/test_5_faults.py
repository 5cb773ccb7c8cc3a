"""Faults and mistakes in a cluster that runs itself: `make test-full`.

Each test begins with three ready workers and leaves three behind, but for the last ones, after
which the cluster is taken away. Servers fail as they do in racks: by their power, by hanging, by a
BMC that does not answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.etcd import etcd_members
from tests.e2e.lab import TestLab
from tests.e2e.life.names import CONTROL_PLANE, WORKERS
from tests.e2e.site import eventually
from tests.e2e.workers import ADDED, NAMESPACE, Workers, is_ready
from tests.full import only_in_full

pytestmark = only_in_full

ALL = (*WORKERS, ADDED)
VICTIM = WORKERS[1]
SILENT_SECONDS = 900
"""Until a server is known to be silent, turned off and on, and is a node again."""
FOR_THE_CONTROL_PLANE = {"installer.openshift.io/role": "control-plane"}
CONTROL_PLANE_CHECK = {
    "apiVersion": "machine.openshift.io/v1beta1",
    "kind": "MachineHealthCheck",
    "metadata": {"name": "control-plane", "namespace": "metal3"},
    "spec": {
        "selector": {"matchLabels": {"machine.openshift.io/cluster-api-machine-role": "master"}},
        "unhealthyConditions": [{"type": "Ready", "status": "Unknown", "timeout": "30s"}],
        "powerCycle": {"timeout": "100s"},
    },
}


@pytest.mark.last(1)
def test_a_worker_that_was_turned_off_behind_our_back_comes_back(workers: Workers) -> None:
    with booted_anew(workers, VICTIM):
        workers.cluster.lab.ingot("power", VICTIM, "off")


@pytest.mark.last(2)
def test_a_worker_that_hangs_is_fenced_and_turned_on_again(workers: Workers) -> None:
    machine = workers.machines()[VICTIM]["metadata"]["name"]
    with judged_after(workers, "30s"), booted_anew(workers, VICTIM):
        workers.cluster.ssh(VICTIM, "systemctl stop kubelet")
    told = workers.events("Machine", machine)
    reasons = {one.partition(":")[0] for one in told}
    assert {"HealingBegun", "Healed"} <= reasons, told


@pytest.mark.last(3)
def test_provisioning_goes_on_elsewhere_when_the_node_of_metal3_dies(workers: Workers) -> None:
    give_back(workers, VICTIM)
    workers.scale(3)
    eventually(lambda: workers.state(VICTIM) == "provisioning", within=300)
    node = node_of_metal3(workers)
    workers.cluster.lab.ingot("power", node, "off")
    workers.await_ready(*ALL, seconds=2400)
    # Whoever provisions now has found it off, and it is to be on.
    eventually(lambda: ready_again(workers, node), within=SILENT_SECONDS, every=2)


@pytest.mark.last(4)
def test_a_scale_up_ends_though_the_holder_of_the_vip_dies(workers: Workers) -> None:
    give_back(workers, VICTIM)
    workers.scale(3)
    eventually(lambda: workers.state(VICTIM) == "provisioning", within=300)
    holder = workers.cluster.holder()
    workers.cluster.lab.ingot("power", holder, "off")
    workers.await_ready(*ALL, seconds=2400)
    eventually(lambda: ready_again(workers, holder), within=SILENT_SECONDS, every=2)


@pytest.mark.last(5)
def test_a_dead_bmc_is_told_of_when_its_worker_is_to_go_and_nothing_is_stuck(
    workers: Workers,
) -> None:
    lab = workers.cluster.lab
    lab.ingot("fault", "set", VICTIM, "bmc-refused")
    workers.mark_for_deletion(VICTIM)
    workers.scale(2)
    said = eventually(lambda: trouble_of(workers, VICTIM), within=SILENT_SECONDS, every=2)
    assert f"{lab.host(VICTIM).bmc.address}" in said
    workers.await_ready(WORKERS[0], ADDED)
    lab.ingot("fault", "clear", VICTIM, "bmc-refused")
    workers.await_free(VICTIM, seconds=1800)
    assert VICTIM not in workers.machines()


@pytest.mark.last(6)
def test_of_two_sets_that_want_one_free_host_one_gets_it_and_the_other_says_why_it_waits(
    workers: Workers,
) -> None:
    names = ("left", "right")
    for name in names:
        make_set(workers, name)

    def claims() -> dict[str, Any] | None:
        conditions = {name: claimed(workers, name) for name in names}
        return conditions if all(conditions.values()) else None

    def decided() -> list[str] | None:
        found = claims()
        states = sorted(one["status"] for one in found.values()) if found else []
        return states if states == ["False", "True"] else None

    eventually(decided, within=300)
    waiting = next(one for one in (claims() or {}).values() if one["status"] == "False")
    assert waiting["reason"] == "NoFreeHost"
    assert "no host is free" in waiting["message"]
    # Deleted in the midst of being written: the host is cleaned, and nobody's.
    workers.cluster.kubectl(*NAMESPACE, "delete", "machineset", *names, "--wait=false")
    workers.await_free(VICTIM, seconds=1800)


@pytest.mark.last(7)
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hostSelector": {"matchLabels": {"rack": "none"}}}, "NoMatchingHost"),
        ({"image": {"url": "nowhere", "checksum": ""}}, "InvalidConfiguration"),
    ],
    ids=["no host matches", "bad image"],
)
def test_a_mistake_in_a_set_is_told_by_its_machine_and_touches_no_host(
    workers: Workers, change: dict[str, Any], reason: str
) -> None:
    make_set(workers, "mistaken", **change)
    said = eventually(lambda: claimed(workers, "mistaken"), within=120)
    assert (said["status"], said["reason"]) == ("False", reason)
    assert workers.state(VICTIM) == "available"
    workers.cluster.kubectl(*NAMESPACE, "delete", "machineset", "mistaken", "--wait=false")
    eventually(lambda: not machines_of(workers, "mistaken"), within=120)


@pytest.mark.last(8)
def test_a_negative_number_of_workers_is_refused(workers: Workers) -> None:
    change = json.dumps({"spec": {"replicas": -1}})
    words = ("patch", "machineset", workers.machine_set, "--type=merge", "-p", change)
    done = workers.cluster.try_kubectl(*NAMESPACE, *words)
    assert done.returncode != 0
    assert "spec.replicas" in done.stderr
    assert workers.ready() == {WORKERS[0], ADDED}


@pytest.mark.last(9)
def test_a_host_that_is_deleted_while_it_is_used_is_told_of_and_nothing_hangs(
    workers: Workers,
) -> None:
    machine = workers.machines()[ADDED]["metadata"]["name"]
    workers.cluster.kubectl(*NAMESPACE, "delete", "baremetalhost", ADDED, "--wait=false")

    def failed() -> str | None:
        found = workers.look(*NAMESPACE, f"machine/{machine}") or {}
        status = found.get("status", {})
        message: str | None = status.get("errorMessage")
        return message if status.get("phase") == "Failed" else None

    assert ADDED in eventually(failed, within=600)
    # Its health check deletes it too, a while after its host is gone.
    words = ("delete", "machine", machine, "--wait=false", "--ignore-not-found")
    workers.cluster.kubectl(*NAMESPACE, *words)
    gone = ("baremetalhost", ADDED)
    eventually(lambda: absent(workers, *gone), within=1800, every=2)
    eventually(lambda: absent(workers, "machine", machine), within=300)


@pytest.mark.last(10)
def test_a_control_plane_server_that_is_lost_for_good_is_replaced_by_a_spare(
    workers: Workers,
) -> None:
    lab, lost = workers.cluster.lab, CONTROL_PLANE[1]
    # A server in the store room, for just this case.
    workers.add_by_hand(lab.host(ADDED), labels=FOR_THE_CONTROL_PLANE)
    workers.await_free(ADDED)
    workers.cluster.kubectl("apply", "-f", "-", stdin=json.dumps(CONTROL_PLANE_CHECK))
    lab.ingot("power", lost, "off")
    erase(lab, lost)

    def replaced() -> bool:
        nodes = workers.look("nodes", "-l", "node-role.kubernetes.io/control-plane")
        ready = {
            one["metadata"]["name"] for one in (nodes or {"items": []})["items"] if is_ready(one)
        }
        return ready == {*CONTROL_PLANE, ADDED} - {lost}

    eventually(replaced, within=2400, every=2)
    others = [name for name in CONTROL_PLANE if name != lost]
    eventually(
        lambda: sorted(etcd_members(workers.cluster, others[0])) == sorted((*others, ADDED)),
        within=300,
    )
    assert "capm3.metal3.io/unhealthy" in workers.host(lost)["metadata"]["annotations"]


@pytest.mark.last(11)
def test_applications_answer_from_the_control_plane_when_the_last_worker_is_gone(
    workers: Workers,
) -> None:
    tolerance = {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}
    change = {"spec": {"template": {"spec": {"tolerations": [tolerance]}}}}
    words = ("patch", "deployment", "shop", "--type=merge", "-p", json.dumps(change))
    workers.cluster.kubectl(*words)
    eventually(lambda: whole(workers, "shop"), within=300, every=2)
    workers.scale(0)
    for name in WORKERS:
        workers.await_free(name)
    assert workers.ready() == set()
    eventually(workers.shop_answers, within=120, every=1)


@contextmanager
def booted_anew(workers: Workers, name: str) -> Iterator[None]:
    """Do something to a node, and wait until it has booted again and is ready."""
    before = boot_of(workers, name)
    assert before
    yield

    def back() -> bool:
        found = workers.look(f"node/{name}")
        return found is not None and is_ready(found) and boot_of(workers, name) != before

    eventually(back, within=SILENT_SECONDS, every=2)


@contextmanager
def judged_after(workers: Workers, seconds: str) -> Iterator[None]:
    """Have workers be taken for silent sooner than usual, and as usual afterwards."""
    name = f"machinehealthcheck/{workers.cluster.lab.plan.cluster_name}-worker"
    before = workers.cluster.get(*NAMESPACE, name)["spec"]["unhealthyConditions"]
    hasty = [{**one, "timeout": seconds} for one in before]

    def written(conditions: object) -> None:
        change = json.dumps({"spec": {"unhealthyConditions": conditions}})
        workers.cluster.kubectl(*NAMESPACE, "patch", name, "--type=merge", "-p", change)

    written(hasty)
    try:
        yield
    finally:
        written(before)


def boot_of(workers: Workers, name: str) -> str:
    found = workers.look(f"node/{name}") or {}
    boot: str = found.get("status", {}).get("nodeInfo", {}).get("bootID", "")
    return boot


def give_back(workers: Workers, name: str) -> None:
    """Take a worker away, so that there is a free host."""
    workers.mark_for_deletion(name)
    workers.scale(2)
    workers.await_free(name)


def node_of_metal3(workers: Workers) -> str:
    pods = workers.cluster.get(*NAMESPACE, "pods", "-l", "app.kubernetes.io/name=metal3")["items"]
    (node,) = {one["spec"]["nodeName"] for one in pods}
    assert node in CONTROL_PLANE
    return str(node)


def ready_again(workers: Workers, node: str) -> bool:
    found = workers.look(f"node/{node}")
    return found is not None and is_ready(found)


def trouble_of(workers: Workers, host: str) -> str | None:
    """Return what a Machine says of why its host is not given back."""
    machine = workers.machines().get(host, {})
    said = condition(machine, "HostReleased")
    return said["message"] if said and said["reason"] == "HostError" else None


def make_set(workers: Workers, name: str, **change: object) -> None:
    """Make a set of one Machine as that of the install, with changes of its provider spec."""
    found = workers.cluster.get(*NAMESPACE, f"machineset/{workers.machine_set}")
    template = found["spec"]["template"]
    template["metadata"] = {"labels": {"set": name}}
    template["spec"]["providerSpec"]["value"].update(change)
    body = {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "metadata": {"name": name, "namespace": "metal3"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"set": name}},
            "template": template,
        },
    }
    workers.cluster.kubectl("apply", "-f", "-", stdin=json.dumps(body))


def machines_of(workers: Workers, name: str) -> list[dict[str, Any]]:
    found = workers.look(*NAMESPACE, "machines", "-l", f"set={name}") or {"items": []}
    items: list[dict[str, Any]] = found["items"]
    return items


def claimed(workers: Workers, name: str) -> dict[str, Any] | None:
    """Return what the Machine of a set says of its claim."""
    return next(
        (said for one in machines_of(workers, name) if (said := condition(one, "HostClaimed"))),
        None,
    )


def condition(found: dict[str, Any], kind: str) -> dict[str, Any] | None:
    said = found.get("status", {}).get("conditions", ())
    return next((one for one in said if one["type"] == kind), None)


def absent(workers: Workers, kind: str, name: str) -> bool:
    done = workers.cluster.try_kubectl(*NAMESPACE, "get", kind, name)
    return "NotFound" in done.stderr


def whole(workers: Workers, deployment: str) -> bool:
    """Return whether all pods of a Deployment are of its last change, and available."""
    found = workers.look(f"deployment/{deployment}")
    if found is None:
        return False
    wanted, status = found["spec"]["replicas"], found["status"]
    counts = {status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")}
    return status["observedGeneration"] >= found["metadata"]["generation"] and counts == {wanted}


def erase(lab: TestLab, host: str) -> None:
    """Have nothing on a server's disk that it could boot from."""
    disk = lab.home / "machines" / host / "disk0.img"
    size = disk.stat().st_size
    with disk.open("r+b") as content:
        content.truncate(0)
        content.truncate(size)
