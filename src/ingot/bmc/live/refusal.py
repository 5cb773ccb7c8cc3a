"""Why a BMC did not do what it was asked: each cause has a name, and a remedy of its own."""

from __future__ import annotations

from ingot.bmc.address import BmcAddress
from ingot.errors import ExitCode, IngotError

__all__ = [
    "BmcError",
    "BmcRefused",
    "BmcUnreachable",
    "CertificateUntrusted",
    "NoSuchSystem",
    "WrongCredentials",
]


class BmcError(IngotError):
    """A BMC did not do what it was asked.

    Attributes:
        address: the BMC's.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, address: BmcAddress, seen: str, *, remedy: str) -> None:
        super().__init__(f"the BMC {address.normalized} {seen}", remedy=remedy)
        self.address = address


class BmcUnreachable(BmcError):  # noqa: N818 - it says what was seen
    """A BMC does not answer, or says that it cannot now; later it may."""

    def __init__(self, address: BmcAddress, seen: str) -> None:
        super().__init__(
            address, seen, remedy="see that the BMC is on and can be reached from here, and repeat"
        )


class CertificateUntrusted(BmcError):  # noqa: N818 - as above
    """The certificate of a BMC is of nobody that we trust."""

    def __init__(self, address: BmcAddress) -> None:
        super().__init__(
            address,
            "has a certificate that is not trusted",
            remedy="give its authority in platform.baremetal.bmcVerifyCA, or set "
            "bmc.disableCertificateVerification",
        )


class WrongCredentials(BmcError):  # noqa: N818 - as above
    """A BMC does not accept the user name or the password, or the user may not do this."""

    def __init__(self, address: BmcAddress) -> None:
        super().__init__(
            address,
            "refuses the user name or password, or the user may not do this",
            remedy="correct bmc.username and bmc.password, and give the user the right to power "
            "the server and to change its virtual media",
        )


class NoSuchSystem(BmcError):  # noqa: N818 - as above
    """A BMC has no such system, or several of which none was named."""

    def __init__(self, address: BmcAddress, systems: tuple[str, ...] = ()) -> None:
        there = f"; it has {', '.join(systems)}" if systems else ""
        asked = f"has no system {address.path}" if address.path else "was not told which system"
        super().__init__(
            address,
            f"{asked}{there}",
            remedy="name one in bmc.address, such as redfish://HOST/redfish/v1/Systems/1",
        )


class BmcRefused(BmcError):  # noqa: N818 - as above
    """A BMC was reached and did not do it."""

    def __init__(self, address: BmcAddress, seen: str) -> None:
        super().__init__(address, seen, remedy="look at the server's own console or web page")
