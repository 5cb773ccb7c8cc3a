"""The metrics are those of the specification, the two that upstream forgets included."""

from __future__ import annotations

from ingot.metal3.host import counting

UPSTREAM = """
metal3_reconcile_total namespace host
metal3_reconcile_error_total
metal3_host_error_total error_type
metal3_operation_power_change_total namespace host on_off
metal3_credentials_missing_total
metal3_credentials_invalid_total
metal3_credentials_unhandled_error_total
metal3_credentials_updated_total
metal3_credentials_no_management_access_total
metal3_host_config_data_error_total host_data_type
metal3_delayed__provisioning_total namespace host
metal3_delayed__deprovisioning_total namespace host
metal3_operation_register_duration_seconds namespace host
metal3_operation_inspect_duration_seconds namespace host
metal3_operation_provision_duration_seconds namespace host
metal3_operation_deprovision_duration_seconds namespace host
metal3_provisioning_state_change_total prev_state new_state
metal3_host_registration_required_total
metal3_host_unmanaged_total
metal3_delete_without_deprovisioning_total
metal3_provisioner_not_ready_total
metal3_delete_delayed_for_detached_total
metal3_waiting_for_preprov_image_total
metal3_delete_without_powering_off_total
"""


def test_every_metric_of_upstream_is_declared_with_its_labels() -> None:
    declared = {one.name: one.labels for one in counting.DECLARED}
    for name, *labels in (line.split() for line in UPSTREAM.split("\n") if line):
        assert declared.pop(name) == tuple(labels)
    assert set(declared) == {"ingot_boot_lost_total"}


def test_durations_have_the_buckets_of_upstream() -> None:
    buckets = {one.name: one.buckets for one in counting.DECLARED if one.buckets is not None}
    assert buckets.pop("metal3_operation_register_duration_seconds") == ()
    assert set(buckets.values()) == {(30, 90, 180, 360, 720, 1440)}
