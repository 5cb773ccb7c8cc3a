"""What the site answers to a wish for an image."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ingot.metal3.api.conditions import ConditionStatus, ImageCondition, ImageReason
from ingot.metal3.api.preprovisioningimage import (
    ImageFormat,
    NetworkDataStatus,
    PreprovisioningImage,
    PreprovisioningImageStatus,
)
from ingot.metal3.host.observation import RamdiskState
from ingot.metal3.node.subject import Ramdisk
from ingot.metal3.operator.ramdisks.answering import answer, can_answer, refusal, retry_after
from ingot.metal3.operator.ramdisks.judging import judge
from tests.unit.metal3.operator.ramdisks.images import BOTH, NOW, image, spec

ISO = Ramdisk(iso="http://site/agent.iso")
INITRD = Ramdisk(kernel="http://site/kernel", initrd="http://site/initrd", kernel_params="x=1")
ALL = replace(INITRD, iso=ISO.iso)
NETWORK = NetworkDataStatus(name="net", version="7")
NONE = NetworkDataStatus()
ONLY_INITRD = (ImageFormat.INITRD,)


def error_of(status: PreprovisioningImageStatus) -> tuple[str, str]:
    [ready, error] = status.conditions
    assert (ready.type, error.type) == (ImageCondition.READY, ImageCondition.ERROR)
    assert ready.status is ConditionStatus.FALSE
    assert error.status is ConditionStatus.TRUE
    return error.reason, error.message


@pytest.mark.parametrize(
    ("formats", "site", "network", "chosen"),
    [
        (BOTH, ALL, NONE, ImageFormat.ISO),
        (BOTH, ISO, NONE, ImageFormat.ISO),
        (BOTH, INITRD, NONE, ImageFormat.INITRD),
        (ONLY_INITRD, ALL, NONE, ImageFormat.INITRD),
        (BOTH, ALL, NETWORK, ImageFormat.INITRD),
        (BOTH, INITRD, NETWORK, ImageFormat.INITRD),
        (ONLY_INITRD, ALL, NETWORK, ImageFormat.INITRD),
    ],
)
def test_the_best_form_that_the_site_has_and_that_takes_network_data_is_answered(
    formats: tuple[ImageFormat, ...],
    site: Ramdisk,
    network: NetworkDataStatus,
    chosen: ImageFormat,
) -> None:
    asked = image(spec(formats=formats, network=network.name))
    status = answer(asked, site, network, now=NOW)
    assert status.format is chosen
    if chosen is ImageFormat.ISO:
        assert (status.image_url, status.kernel_url) == (site.iso, "")
    else:
        assert (status.image_url, status.kernel_url) == (site.initrd, site.kernel)
        assert status.extra_kernel_params == "x=1"
    judged = judge(replace(asked, status=status), asked.spec, network_version=network.version)
    assert judged.state is RamdiskState.READY


@pytest.mark.parametrize(
    ("formats", "site", "network", "says"),
    [
        (ONLY_INITRD, ISO, NONE, "which is initrd"),
        ((), ALL, NONE, "which is nothing"),
        (BOTH, ISO, NETWORK, "give the site a kernel and an initrd"),
        (ONLY_INITRD, replace(INITRD, kernel=""), NONE, "no ramdisk in a form"),
    ],
)
def test_a_wish_that_the_site_cannot_meet_is_refused_with_a_reason(
    formats: tuple[ImageFormat, ...], site: Ramdisk, network: NetworkDataStatus, says: str
) -> None:
    status = answer(image(spec(formats=formats, network=network.name)), site, network, now=NOW)
    reason, message = error_of(status)
    assert reason == ImageReason.CONFIGURATION_ERROR
    assert says in message
    assert not status.image_url


def test_it_is_told_where_network_data_does_not_get_into_the_ramdisk() -> None:
    asked = image(spec(formats=ONLY_INITRD, network="net"))
    [ready, _] = answer(asked, ALL, NETWORK, now=NOW).conditions
    assert "is not in it" in ready.message


def test_a_condition_keeps_the_time_since_when_it_holds() -> None:
    first = image(status=answer(image(), ALL, NONE, now=NOW), generation=3)
    later = NOW + timedelta(hours=1)
    again = answer(first, ALL, NONE, now=later)
    assert {one.last_transition_time for one in again.conditions} == {NOW}
    assert {one.observed_generation for one in again.conditions} == {3}
    gone = refusal(first, ImageReason.MISSING_NETWORK_DATA, "why", now=later)
    assert {one.last_transition_time for one in gone.conditions} == {later}


def test_an_answer_that_is_given_again_is_the_same() -> None:
    first = image(status=answer(image(), ALL, NONE, now=NOW))
    assert answer(first, ALL, NONE, now=NOW + timedelta(hours=1)) == first.status


def test_an_error_is_looked_at_again_ever_more_seldom() -> None:
    def failed(found: PreprovisioningImage) -> PreprovisioningImageStatus:
        return refusal(found, ImageReason.MISSING_NETWORK_DATA, "why", now=NOW)

    status = failed(image())
    after = [retry_after(status, now=NOW + timedelta(seconds=age)) for age in (0, 60, 9999)]
    assert after == [10, 70, 600]


def test_a_site_without_a_ramdisk_leaves_answering_to_others() -> None:
    assert [can_answer(site) for site in (ALL, ISO, INITRD, Ramdisk(), Ramdisk(initrd="x"))] == [
        True,
        True,
        True,
        False,
        False,
    ]
