"""Parts of the config: what is shown of it, and what tells a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.assets.graph import configparts
from ingot.config.loading import load
from ingot.config.model import InstallConfig
from ingot.config.sample import SAMPLES, sample

TEXT = sample("managed")


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BMC_PASSWORD", "first")


def config_of(text: str) -> InstallConfig:
    config = load(text.encode()).config
    assert config is not None
    return config


def test_only_what_is_asked_for_can_be_read() -> None:
    config = configparts.only(
        config_of(TEXT), ["metadata.name", "platform.baremetal.hosts.name", "baseDomain"]
    )
    assert config.cluster_domain == config_of(TEXT).cluster_domain
    assert [host.name for host in config.baremetal.hosts]
    with pytest.raises(AttributeError):
        _ = config.ssh_key
    with pytest.raises(AttributeError):
        _ = config.baremetal.api_vips
    with pytest.raises(AttributeError):
        _ = config.baremetal.hosts[0].bmc


def test_a_part_holds_all_that_is_below_it() -> None:
    whole = config_of(TEXT)
    parts = ["platform.baremetal.hosts.name", "platform.baremetal"]
    assert configparts.only(whole, parts).platform.baremetal == whole.platform.baremetal


def test_the_config_itself_is_left_alone() -> None:
    config, same = config_of(TEXT), config_of(TEXT)
    configparts.only(config, ["metadata.name"])
    assert config == same


def test_a_part_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="BareMetal has no apiVipps"):
        configparts.only(config_of(TEXT), ["platform.baremetal.apiVipps"])


def test_a_digest_is_that_of_the_part_alone() -> None:
    before = config_of(TEXT)
    after = config_of(TEXT.replace("baseDomain: example.com", "baseDomain: example.org"))
    for part, same in (("metadata", True), ("baseDomain", False)):
        digests = {configparts.digest(configparts.only(one, [part])) for one in (before, after)}
        assert (len(digests) == 1) is same


def test_a_secret_counts_by_what_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_of(TEXT)
    before = configparts.digest(config)
    monkeypatch.setenv("BMC_PASSWORD", "second")
    assert configparts.digest(config) != before


@pytest.mark.parametrize("name", SAMPLES)
def test_every_config_has_a_digest(name: str, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("first", encoding="utf-8")
    text = sample(name).replace("/etc/ingot/bmc-password", str(tmp_path / "password"))
    assert configparts.digest(config_of(text)) == configparts.digest(config_of(text))


def test_changed_fields_are_named() -> None:
    before = configparts.fields(config_of(TEXT))
    text = TEXT.replace("baseDomain: example.com", "baseDomain: example.org")
    text = text.replace("- 192.0.2.5", "- 192.0.2.7")
    changed = configparts.changed(before, configparts.fields(config_of(text)))
    assert changed == ["baseDomain", "platform.baremetal.apiVIPs[0]"]


def test_no_field_shows_a_secret() -> None:
    told = configparts.fields(config_of(TEXT))
    assert "platform.baremetal.hosts[0].bmc.password" in told
    assert "first" not in str(told)
