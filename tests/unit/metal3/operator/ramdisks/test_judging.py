"""Whether an image can be booted for a host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.kube.kind import ObjectKey
from ingot.metal3.api.conditions import ImageCondition
from ingot.metal3.api.preprovisioningimage import (
    ImageFormat,
    NetworkDataStatus,
    PreprovisioningImage,
    PreprovisioningImageStatus,
)
from ingot.metal3.host.observation import RamdiskSeen, RamdiskState
from ingot.metal3.node.subject import Ramdisk
from ingot.metal3.operator.ramdisks.judging import judge, ramdisk_in
from ingot.metal3.operator.ramdisks.network import judge_network, look
from ingot.metal3.operator.secrets import Secret
from tests.unit.metal3.operator.ramdisks.images import condition, image, spec

READY = condition(ImageCondition.READY, holds=True)
MADE = PreprovisioningImageStatus(
    image_url="http://site/agent.iso",
    format=ImageFormat.ISO,
    architecture="x86_64",
    conditions=(READY,),
)
WITH_NETWORK = replace(MADE, network_data=NetworkDataStatus(name="net", version="7"))
NET = ObjectKey("metal3", "net")


def seen(found: PreprovisioningImage | None, *, network_version: str = "") -> RamdiskSeen:
    wanted = found.spec if found else spec()
    return judge(found, wanted, network_version=network_version)


def test_an_image_that_is_as_wanted_is_booted() -> None:
    found = seen(image(status=MADE))
    assert (found.state, found.version) == (RamdiskState.READY, "http://site/agent.iso")


def test_an_image_with_the_present_network_data_is_booted() -> None:
    found = seen(image(spec(network="net"), WITH_NETWORK), network_version="7")
    assert found.state is RamdiskState.READY
    assert found.version != seen(image(status=MADE)).version


@pytest.mark.parametrize(
    "found",
    [
        None,
        image(status=MADE, going=True),
        image(status=MADE, generation=3),
        image(),
        image(status=replace(MADE, image_url="")),
        image(status=replace(MADE, architecture="aarch64")),
        image(status=replace(MADE, format=None)),
        image(spec(formats=(ImageFormat.INITRD,)), MADE),
        image(spec(network="net"), MADE),
        image(status=WITH_NETWORK),
        image(spec(network="net"), replace(WITH_NETWORK, network_data=NetworkDataStatus())),
        image(status=replace(MADE, conditions=(condition(ImageCondition.READY, holds=False),))),
    ],
)
def test_an_image_that_is_not_what_is_wanted_is_waited_for(
    found: PreprovisioningImage | None,
) -> None:
    judged = seen(found, network_version="8")
    assert judged.state is RamdiskState.PENDING
    assert judged.why


def test_an_image_with_old_network_data_is_waited_for() -> None:
    asked = image(spec(network="net"), WITH_NETWORK)
    assert seen(asked, network_version="8").state is RamdiskState.PENDING


def test_an_image_that_is_asked_for_otherwise_is_waited_for() -> None:
    other = spec(architecture="aarch64")
    assert judge(image(status=MADE), other, network_version="").state is RamdiskState.PENDING


def test_an_image_that_cannot_be_made_is_told_even_where_nothing_of_it_is_filled_in() -> None:
    broken = condition(ImageCondition.ERROR, holds=True, message="no such architecture")
    judged = seen(image(status=PreprovisioningImageStatus(conditions=(broken,))))
    assert (judged.state, judged.why) == (RamdiskState.FAILED, "no such architecture")


def test_an_error_about_what_was_asked_for_before_does_not_count() -> None:
    old = condition(ImageCondition.ERROR, holds=True, generation=1)
    judged = seen(image(status=replace(MADE, conditions=(READY, old))))
    assert judged.state is RamdiskState.READY


def test_what_is_booted_has_the_form_of_the_image() -> None:
    assert ramdisk_in(image(status=MADE)) == Ramdisk(iso="http://site/agent.iso")
    initrd = PreprovisioningImageStatus(
        image_url="http://b/initrd",
        kernel_url="http://b/kernel",
        extra_kernel_params="a=b",
        format=ImageFormat.INITRD,
    )
    assert ramdisk_in(image(status=initrd)) == Ramdisk(
        initrd="http://b/initrd", kernel="http://b/kernel", kernel_params="a=b"
    )


@pytest.mark.parametrize(
    ("data", "state"),
    [(b"links: []", RamdiskState.READY), (b"- links", RamdiskState.FAILED)],
)
def test_the_sites_ramdisk_is_booted_with_good_network_data_only(
    data: bytes, state: RamdiskState
) -> None:
    network = look(NET, Secret(NET, "7", {"networkData": data}), is_missing=False)
    found = judge_network(network)
    assert (found.state, found.version) == (state, "7")


def test_network_data_that_is_missing_is_told_once_that_is_known() -> None:
    assert judge_network(look(NET, None, is_missing=False)).state is RamdiskState.PENDING
    missing = judge_network(look(NET, None, is_missing=True))
    assert missing.state is RamdiskState.FAILED
    assert "metal3/net" in missing.why
