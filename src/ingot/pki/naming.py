"""Names in certificates: of who has one, and of what it is good for."""

from __future__ import annotations

from ipaddress import ip_address

from cryptography import x509
from cryptography.x509.oid import NameOID

__all__ = ["alternative", "distinguished", "spelled"]


def distinguished(name: str, *, organization: str = "") -> x509.Name:
    """Return the name of an owner; Kubernetes reads a user from it, and the user's group."""
    common = x509.NameAttribute(NameOID.COMMON_NAME, name)
    if not organization:
        return x509.Name([common])
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization), common])


def alternative(name: str) -> x509.GeneralName:
    """Return what clients compare with what they asked for: an address, or a DNS name."""
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def spelled(name: x509.GeneralName) -> str:
    """Return a name as `alternative` takes it."""
    return str(name.value)
