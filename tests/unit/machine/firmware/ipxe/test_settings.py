"""Settings have types and scopes, and texts are filled with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.machine.firmware.ipxe.settings import Settings
from ingot.machine.firmware.ipxe.value import BadValue, Value

MAC = Value.of("52:54:00:ab:cd:ef", "hex")


@pytest.fixture
def settings() -> Settings:
    return Settings(
        {
            "": {"own": Value.of("mine"), "i": Value.of("3", "int32"), "loop": Value.of("${loop}")},
            "net0": {
                "mac": MAC,
                "own": Value.of("the card's"),
                "next-server": Value.of("172.22.0.2", "ipv4"),
                "uuid": Value.of("8f5c9a52-3f0e-4f0f-8b7e-0a1b2c3d4e5f", "uuid"),
            },
            "net3": {"mac": Value.of("52:54:00:00:00:03", "hex")},
        }
    )


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("nothing", "nothing"),
        ("${mac}", "52:54:00:ab:cd:ef"),
        ("${mac:hexhyp}", "52-54-00-ab-cd-ef"),
        ("${mac:hexraw}", "525400abcdef"),
        ("${net0/mac:hexhyp}.ipxe", "52-54-00-ab-cd-ef.ipxe"),
        ("${netX/mac}", "52:54:00:ab:cd:ef"),
        ("${net${i}/mac}", "52:54:00:00:00:03"),
        ("${net9/mac}", ""),
        ("http://${next-server}:6180/", "http://172.22.0.2:6180/"),
        ("${net0.dhcp/next-server}", "172.22.0.2"),
        ("${next-server:hexraw}", "ac160002"),
        ("${uuid}", "8f5c9a52-3f0e-4f0f-8b7e-0a1b2c3d4e5f"),
        ("${own}/${net0/own:uristring}", "mine/the%20card%27s"),
        ("${unknown}", ""),
        ("${mac:nonsense}", ""),
        ("${i:uint32}", "0x3"),
        ("${own:base64}", "bWluZQ=="),
        ("$ {mac} $mac }${", "$ {mac} $mac }${"),
    ],
)
def test_text_is_filled(settings: Settings, text: str, expanded: str) -> None:
    assert settings.expand(text) == expanded


def test_setting_that_names_itself_comes_to_an_end(settings: Settings) -> None:
    assert settings.expand("${loop}") == "${loop}"


@given(st.text())
def test_any_text_can_be_expanded(text: str) -> None:
    assert isinstance(Settings({"": {"a": Value.of("${b}")}}).expand(text), str)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("x", "int32"), ("1.2.3", "ipv4"), ("zz", "hex"), ("300", "uint8"), ("a", "nonsense")],
)
def test_value_that_does_not_fit_its_type_is_refused(text: str, kind: str) -> None:
    with pytest.raises(BadValue):
        Value.of(text, kind)


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_number_is_shown_as_it_was_read(number: int) -> None:
    value = Value.of(str(number), "int32")
    assert value.shown() == str(number)
    assert value.number == number
