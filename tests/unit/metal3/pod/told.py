"""Settings as a test wants them, and a CA to go with them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from ingot.metal3.pod.settings import Settings, parse

MAC = "52:54:00:00:00:01"
MANAGED: dict[str, Any] = {
    "mode": "Managed",
    "provisioningIp": "172.22.0.2",
    "interfaceMac": "52:54:00:00:00:AA",
    "dhcp": {"first": "172.22.0.10", "last": "172.22.0.99", "network": "172.22.0.0/24"},
    "allowedMacs": [MAC],
    "externalAddresses": ["192.168.111.5"],
}
UNMANAGED: dict[str, Any] = {"mode": "Unmanaged", "provisioningIp": "172.22.0.2"}
DISABLED: dict[str, Any] = {"mode": "Disabled", "provisioningIp": "192.168.111.5"}


def settings(base: dict[str, Any] = MANAGED, **changes: object) -> Settings:
    """Return settings as a file has them, with changes."""
    return parse(json.dumps({**base, **changes}))


def authority(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | None = None) -> str:
    """Return the certificate of a CA."""
    own = key or ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ironic-ca")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, own.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(own, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()
