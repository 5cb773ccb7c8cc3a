"""Why a join failed, in one line."""

from __future__ import annotations

import pytest

from ingot.node.joining.cause import cause_of, phase_of

PREFLIGHT = """\
[preflight] Running pre-flight checks
error execution phase preflight: [preflight] Some fatal errors occurred:
\t[ERROR Port-10250]: Port 10250 is in use
\t[ERROR CRI]: could not connect to the container runtime
[preflight] If you know what you are doing, you can make a check non-fatal
"""
EXPIRED = """\
[preflight] Reading configuration from the "kubeadm-config" ConfigMap
error execution phase preflight: unable to fetch the kubeadm-config ConfigMap: Unauthorized
To see the stack trace of this error execute with --v=5 or higher
"""
CLOCK = """\
error execution phase preflight: couldn't validate the identity of the API Server: tls: failed to \
verify certificate: x509: certificate has expired or is not yet valid: current time 2020 is before
"""


@pytest.mark.parametrize(
    ("output", "phase", "begins", "token"),
    [
        (PREFLIGHT, "preflight", "Port-10250: Port 10250 is in use; CRI: could not", False),
        (EXPIRED, "preflight", "the cluster does not take the bootstrap token any more (", True),
        (CLOCK, "preflight", "this machine's clock is off", False),
        (
            'error execution phase kubelet-start: a Node with name "a" already exists',
            "kubelet-start",
            "a Node of this name is Ready",
            False,
        ),
        (
            "error execution phase etcd-join: etcdserver: too many learner members in cluster",
            "etcd-join",
            "another node is joining etcd",
            False,
        ),
        ("Error: unknown flag: --x", "", "unknown flag: --x", False),
        ("panic: what\n\n", "", "panic: what", False),
        ("", "", "kubeadm ended without a word", False),
    ],
)
def test_the_cause_is_found_among_what_kubeadm_wrote(
    output: str, phase: str, begins: str, *, token: bool
) -> None:
    cause = cause_of(output.splitlines())
    assert cause.phase == phase
    assert cause.message.startswith(begins)
    assert cause.token_refused is token
    assert "\n" not in cause.message


def test_a_long_cause_is_cut() -> None:
    assert len(cause_of(["error: " + "x" * 5000]).message) < 500


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        ("[kubelet-start] Starting the kubelet", "kubelet-start"),
        ("\t[WARNING NumCPU]: one", ""),
        ("This node has joined the cluster:", ""),
    ],
)
def test_a_line_says_what_kubeadm_is_doing(line: str, phase: str) -> None:
    assert phase_of(line) == phase
