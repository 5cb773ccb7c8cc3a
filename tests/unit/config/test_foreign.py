"""Fields of other products, and fields whose part is not built yet."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    HOST,
    METAL,
    Case,
    accepted,
    changed,
    refused,
    table,
    warned,
)

OPENSHIFT = {
    "publish": "External",
    "operatorPublishingStrategy": {},
    "fips": False,
    "cpuPartitioningMode": "None",
    "credentialsMode": "Manual",
    "bootstrapInPlace": {"installationDisk": "/dev/sda"},
    "capabilities": {"baselineCapabilitySet": "vCurrent"},
    "featureSet": "TechPreviewNoUpgrade",
    "featureGates": ["A=true"],
    "osImageStream": "rhel-10",
    "pki": {"signerCertificates": {}},
    f"{METAL}.bootstrapOSImage": "https://example.com/image",
    "networking.networkObservability": {"installationPolicy": "NoAction"},
}

CASES = table(
    accepted("O1", "none of them"),
    accepted("O1", "one that is null", {"publish": None}),
    *(warned("O1", path, path, {path: value}, says=path) for path, value in OPENSHIFT.items()),
    accepted("U1", "no arbiter", {"arbiter": None}),
    refused("U1", "arbiter", "an arbiter pool", {"arbiter": {"name": "arbiter", "replicas": 1}}),
    refused(
        "U1",
        f"{METAL}.hosts[3].role",
        "an arbiter",
        {f"{METAL}.hosts[3].role": "arbiter", "compute[0].replicas": 0},
        says="'worker-0'",
    ),
    accepted("U2", "no fencing"),
    refused("U2", "controlPlane.fencing", "fencing", {"controlPlane.fencing": {"credentials": []}}),
    refused("U2", "compute[0].fencing", "fencing of workers", {"compute[0].fencing": {}}),
    accepted("U4", "no BGP"),
    refused("U4", f"{METAL}.bgpVIPConfig", "BGP", {f"{METAL}.bgpVIPConfig": {"localASN": 64512}}),
    refused(
        "U4", f"{HOST}.bgpPeers", "a host's peers", {f"{HOST}.bgpPeers": []}, says="not built yet"
    ),
    accepted("U5", "no extra disks"),
    refused(
        "U5", "controlPlane.diskSetup", "disks", {"controlPlane.diskSetup": [{"type": "etcd"}]}
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rules_about_foreign_fields(case: Case) -> None:
    case.check()


def test_all_fields_that_only_openshift_has_are_one_warning() -> None:
    (warning,) = changed(OPENSHIFT).report().warnings

    assert warning.rule == "O1"
    assert all(path in warning.message for path in OPENSHIFT)
