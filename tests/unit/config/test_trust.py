"""Certificates given in the config."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import METAL, Case, accepted, refused, table
from tests.unit.config.keys import PRIVATE_PEM, certificate, certificate_of_version

CUT = certificate().replace("-----END CERTIFICATE-----", "")
BODY_ONLY = certificate().split("-----")[2]
END_ONLY = certificate().removeprefix("-----BEGIN CERTIFICATE-----\n")
OTHER = certificate().replace("CERTIFICATE", "PUBLIC KEY")
BUNDLE, POLICY, BMC_CA = (
    "additionalTrustBundle",
    "additionalTrustBundlePolicy",
    f"{METAL}.bmcVerifyCA",
)


def certificate_cases(rule: str, path: str) -> list[Case]:
    name = path.rpartition(".")[2]
    return [
        accepted(rule, "nothing"),
        accepted(rule, "white space", {path: "\n"}),
        accepted(rule, "a certificate", {path: certificate()}),
        accepted(
            rule,
            "certificates with comments",
            {path: f"# one\n{certificate()}\n# two\n{certificate('two')}\n"},
        ),
        refused(
            rule, path, "text", {path: "trust me"}, says=f"{name} does not begin with a PEM block"
        ),
        refused(rule, path, "base64 alone", {path: BODY_ONLY}),
        refused(rule, path, "a block that is cut off", {path: CUT}, says="block 1"),
        refused(rule, path, "an end without a beginning", {path: f"{END_ONLY}{certificate()}"}),
        refused(rule, path, "another block", {path: f"{certificate()}{OTHER}"}, says="block 2"),
        refused(
            rule, path, "an unknown version", {path: certificate_of_version(7)}, says="block 1"
        ),
        refused(
            rule, path, "a private key", {path: certificate() + PRIVATE_PEM}, says="private key"
        ),
    ]


CASES = table(
    *certificate_cases("G5", BUNDLE),
    *certificate_cases("X6", BMC_CA),
    accepted("G6", "Proxyonly", {POLICY: "Proxyonly"}),
    accepted("G6", "Always", {POLICY: "Always"}),
    refused(
        "G6", POLICY, "another word", {POLICY: "Never"}, says="'Never' is none of Always, Proxyonly"
    ),
    refused(
        "G6", POLICY, "another letter case", {POLICY: "ProxyOnly"}, says="did you mean Proxyonly?"
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_trust_rules(case: Case) -> None:
    case.check()
