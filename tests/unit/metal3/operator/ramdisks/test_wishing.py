"""When a host needs a ramdisk, and which."""

from __future__ import annotations

import platform

import pytest

from ingot.metal3.api.baremetalhost import AutomatedCleaningMode
from ingot.metal3.api.preprovisioningimage import ImageFormat
from ingot.metal3.api.states import OperationalStatus
from ingot.metal3.api.states import ProvisioningState as S
from ingot.metal3.operator.ramdisks.wishing import needs_ramdisk, waits_for_ramdisk, wish
from tests.unit.metal3.host.hosts import HARDWARE, MEDIA, bmc, host

NEEDS = {S.INSPECTING, S.MATCH_PROFILE, S.PREPARING, S.READY, S.AVAILABLE, S.PROVISIONING}
SERVICING = {"operational_status": OperationalStatus.SERVICING}


@pytest.mark.parametrize("state", list(S))
def test_a_ramdisk_is_needed_where_one_is_booted(state: S) -> None:
    assert needs_ramdisk(host(state)) is (state in NEEDS | {S.DEPROVISIONING})


def test_a_server_that_is_not_cleaned_needs_none_to_be_deprovisioned() -> None:
    disabled = AutomatedCleaningMode.DISABLED
    assert not needs_ramdisk(host(S.DEPROVISIONING, automated_cleaning_mode=disabled))


def test_a_server_in_use_needs_one_while_it_is_serviced_but_is_not_held_up_for_it() -> None:
    serviced = host(S.PROVISIONED, status=SERVICING)
    assert needs_ramdisk(serviced)
    assert not waits_for_ramdisk(serviced)


def test_a_host_that_goes_waits_only_to_be_cleaned() -> None:
    assert not waits_for_ramdisk(host(S.AVAILABLE, going=1))
    assert waits_for_ramdisk(host(S.DEPROVISIONING, going=1))


def test_an_iso_is_best_where_the_bmc_takes_one() -> None:
    by_media, by_network = wish(host(bmc=bmc(MEDIA))), wish(host())
    assert by_media
    assert by_media.accept_formats == (ImageFormat.ISO, ImageFormat.INITRD)
    assert by_network
    assert by_network.accept_formats == (ImageFormat.INITRD,)


def test_the_architecture_is_what_is_said_or_found_or_else_our_own() -> None:
    found = {"hardware": HARDWARE}
    said = [
        wish(host(architecture="aarch64", status=found)),
        wish(host(status=found)),
        wish(host()),
    ]
    assert [one and one.architecture for one in said] == ["aarch64", "x86_64", platform.machine()]


def test_the_network_data_is_named() -> None:
    asked = wish(host(preprovisioning_network_data_name="net"))
    assert asked
    assert asked.network_data_name == "net"


def test_nothing_is_asked_for_while_the_bmc_has_no_address() -> None:
    assert wish(host(bmc=None)) is None
    assert wish(host(bmc=bmc("carrier-pigeon://10.0.0.1"))) is None
