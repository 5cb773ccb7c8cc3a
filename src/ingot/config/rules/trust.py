"""Certificates given in the config."""

from __future__ import annotations

from ingot.config.model import InstallConfig
from ingot.config.problem import Path, at, error
from ingot.config.registry import Findings, check, declare

declare("G6", "additionalTrustBundlePolicy is Proxyonly or Always.")

_PEM = "paste whole blocks from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----"


@check("G5", "Every PEM block of additionalTrustBundle is a certificate.")
def trust_bundle_is_pem(config: InstallConfig) -> Findings:
    yield from _certificates(config.additional_trust_bundle, ("additionalTrustBundle",))


@check("X6", "bmcVerifyCA is PEM certificates.", note="Upstream does not look at it.")
def bmc_authorities_are_pem(config: InstallConfig) -> Findings:
    yield from _certificates(config.baremetal.bmc_verify_ca, at("bmcVerifyCA"))


def _certificates(text: str, path: Path) -> Findings:
    if not text.strip():
        return
    from cryptography import x509  # noqa: PLC0415 - slow to import, seldom needed

    name = str(path[-1])
    if "PRIVATE KEY-----" in text:
        yield error(path, f"{name} holds a private key", "give certificates only")
        return
    head, *blocks = text.split("-----BEGIN ")
    # Bundles have comments between their blocks, but no ends without a beginning.
    if not blocks or "-----END " in head:
        yield error(path, f"{name} does not begin with a PEM block", _PEM)
    for number, block in enumerate(blocks, 1):
        try:
            x509.load_pem_x509_certificate(f"-----BEGIN {block}".encode())
        except (ValueError, x509.InvalidVersion):
            yield error(path, f"block {number} of {name} is not a certificate", _PEM)
