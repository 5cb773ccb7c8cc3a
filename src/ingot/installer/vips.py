"""Whether the virtual addresses are free, asked before anything is made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ingot.config.model import InstallConfig
from ingot.config.reading import IPAddress
from ingot.errors import ExitCode, IngotError
from ingot.process import CommandFailed, run

__all__ = ["VipTaken", "check_free"]


class VipTaken(IngotError):  # noqa: N818 - it says what was seen
    """Somebody answers at an address that is to be the cluster's."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, taken: dict[str, IPAddress]) -> None:
        named = ", ".join(f"{address} ({field})" for field, address in taken.items())
        super().__init__(
            f"somebody answers already at {named}",
            remedy="choose addresses that nobody has and that DHCP does not hand out, or switch "
            "off what has them; see who it is with `ip neigh`",
        )
        self.taken = taken


def check_free(config: InstallConfig) -> None:
    """Check that nobody answers at the VIPs; those of a user's balancer may.

    Raises:
        VipTaken: somebody does.
    """
    platform = config.baremetal
    if platform.vips_are_user_managed:
        return
    wanted = {
        **{f"apiVIPs[{n}]": vip for n, vip in enumerate(platform.api_vips)},
        **{f"ingressVIPs[{n}]": vip for n, vip in enumerate(platform.ingress_vips)},
    }
    with ThreadPoolExecutor(len(wanted)) as threads:
        answers = dict(zip(wanted, threads.map(_answers, wanted.values()), strict=True))
    if taken := {field: wanted[field] for field, there in answers.items() if there}:
        raise VipTaken(taken)


def _answers(address: IPAddress) -> bool:
    try:
        run(["ping", "-c", "2", "-i", "0.3", "-W", "1", str(address)])
    except CommandFailed:
        return False
    return True
