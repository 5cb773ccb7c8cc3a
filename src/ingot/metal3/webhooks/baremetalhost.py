"""All rules of BareMetalHost; each one's docstring names its row in metal3's table."""

from __future__ import annotations

from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.webhooks import (
    annotating,
    bmcaddress,
    bootmac,
    changing,
    hostfields,
    image,
    inspecting,
    raid,
)
from ingot.metal3.webhooks.judging import Judge

__all__ = ["JUDGE"]

JUDGE: Final = Judge(
    model=BareMetalHost,
    rules=(
        bmcaddress.address_can_be_used,
        hostfields.no_firmware_switches,
        hostfields.secrets_are_near,
        raid.one_kind_of_raid,
        raid.disks_have_their_controller,
        raid.disk_count_is_right,
        raid.one_root_volume,
        raid.root_volume_stands_alone,
        raid.root_volume_is_mirrored,
        bmcaddress.driver_builds_raid,
        bootmac.mac_is_given_where_needed,
        bootmac.mac_is_one,
        bmcaddress.driver_does_secure_boot,
        hostfields.name_can_be_a_nodes,
        hostfields.device_name_is_a_device,
        image.image_can_be_fetched,
        image.checksum_fits,
        annotating.status_can_be_restored,
        annotating.reboot_can_be_read,
        inspecting.annotation_is_a_known_word,
        inspecting.hardware_details_can_be_taken,
        inspecting.annotation_agrees_with_mode,
        bmcaddress.driver_inspects_fast,
        hostfields.host_stays_on_where_it_must,
        hostfields.cards_are_told_apart,
        annotating.detachment_is_read,
        hostfields.nothing_is_deprecated,
    ),
    change_rules=(
        changing.address_changes_unregistered,
        bootmac.mac_stays,
        changing.adopted_when_available,
    ),
)
