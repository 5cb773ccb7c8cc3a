"""No message and no repr shows a secret, however wrong the file is."""

from __future__ import annotations

import json

import pytest

from ingot.config.secret import Secret, SecretSource
from ingot.errors import InstallConfigError
from tests.unit.config.configs import HOST, METAL, Config, Plain, changed, told
from tests.unit.config.keys import PRIVATE, PRIVATE_PEM

SECRET = "h0nter2-Secret"
PASSWORD, ADDRESS = f"{HOST}.bmc.password", f"{HOST}.bmc.address"
PRIVATE_BODY = PRIVATE.splitlines()[3]
PEM_BODY = PRIVATE_PEM.splitlines()[1]

MISTAKES: dict[str, tuple[dict[str, object], str]] = {
    "a password in a list": ({PASSWORD: [SECRET]}, SECRET),
    "a password in a mapping": ({PASSWORD: {"value": SECRET}}, SECRET),
    "a password for a variable's name": ({PASSWORD: {"env": SECRET}}, SECRET),
    "a password for both": ({PASSWORD: {"env": SECRET, "file": SECRET}}, SECRET),
    "a password that begins with !": ({PASSWORD: Plain(f"!{SECRET}")}, SECRET),
    "a password that begins with !!": ({PASSWORD: Plain(f"!!{SECRET}")}, SECRET),
    "a password that begins with *": ({PASSWORD: Plain(f"*{SECRET}")}, SECRET),
    "a password that begins with &": ({PASSWORD: Plain(f"&{SECRET}")}, SECRET),
    "a password that begins with %": ({PASSWORD: Plain(f"%{SECRET}")}, SECRET),
    "a password that begins with @": ({PASSWORD: Plain(f"@{SECRET}")}, SECRET),
    "a password with a colon": ({PASSWORD: Plain(f"{SECRET}: {SECRET}")}, SECRET),
    "a password with a bracket": ({PASSWORD: Plain(f"[{SECRET}")}, SECRET),
    "a password without a space": ({f"{HOST}.bmc": Plain(f"{{password:{SECRET}}}")}, SECRET),
    "a bmc that is a password": ({f"{HOST}.bmc": SECRET}, SECRET),
    "a pull secret that is text": ({"pullSecret": SECRET}, SECRET),
    "a pull secret without quotes": (
        {"pullSecret": Plain(json.dumps({"auths": {"quay.io": {"auth": SECRET}}}))},
        SECRET,
    ),
    "a pull secret with other keys": (
        {"pullSecret": json.dumps({"auths": {"quay.io": {"Auth": SECRET}}})},
        SECRET,
    ),
    "a pull secret that is cut off": (
        {"pullSecret": f'{{"auths": {{"quay.io": {{"auth": "{SECRET}'},
        SECRET,
    ),
    "a proxy with a bad scheme": (
        {"proxy.httpProxy": f"ftp://user:{SECRET}@proxy.example.com"},
        SECRET,
    ),
    "a proxy with a bad port": (
        {"proxy.httpProxy": f"http://user:{SECRET}@proxy.example.com:x"},
        SECRET,
    ),
    "a proxy without a scheme": ({"proxy.httpsProxy": f"user:{SECRET}@proxy.example.com"}, SECRET),
    "a proxy with a slash in its password": (
        {"proxy.httpProxy": f"http://user:{SECRET}/x@proxy.example.com"},
        SECRET,
    ),
    "a proxy in the cluster": ({"proxy.httpProxy": f"http://user:{SECRET}@172.30.0.9"}, SECRET),
    "a proxy of the wrong kind": ({"proxy.httpProxy": [f"http://user:{SECRET}@proxy"]}, SECRET),
    "a BMC address with credentials": (
        {ADDRESS: f"redfish://admin:{SECRET}@198.51.100.9/redfish/v1"},
        SECRET,
    ),
    "a BMC address with an unknown scheme": (
        {ADDRESS: f"foo://admin:{SECRET}@198.51.100.9"},
        SECRET,
    ),
    "a BMC address with a slash in its password": (
        {ADDRESS: f"ipmi://admin:{SECRET}/x@198.51.100.9"},
        SECRET,
    ),
    "a mirror with credentials": (
        {"imageDigestSources": [{"source": f"https://user:{SECRET}@quay.io"}]},
        SECRET,
    ),
    "an image with credentials": (
        {f"{METAL}.clusterOSImage": f"https://user:{SECRET}@example.com/i"},
        SECRET,
    ),
    "a private key as ssh key": ({"sshKey": PRIVATE}, PRIVATE_BODY),
    "a private key without its first line": ({"sshKey": PRIVATE.partition("\n")[2]}, PRIVATE_BODY),
    "a private key among certificates": ({"additionalTrustBundle": PRIVATE_PEM}, PEM_BODY),
    "a private key among BMC certificates": ({f"{METAL}.bmcVerifyCA": PRIVATE_PEM}, PEM_BODY),
    "credentials for fencing": (
        {"controlPlane.fencing": {"credentials": [{"password": SECRET}]}},
        SECRET,
    ),
    "an arbiter's credentials": ({"arbiter": {"fencing": {"password": SECRET}}}, SECRET),
    "a BGP password": ({f"{METAL}.bgpVIPConfig": {"peers": [{"password": SECRET}]}}, SECRET),
    "a host's BGP password": ({f"{HOST}.bgpPeers": [{"password": SECRET}]}, SECRET),
    "a network's password": ({f"{HOST}.networkConfig": {"wifi": {"password": SECRET}}}, SECRET),
}


@pytest.mark.parametrize(("changes", "secret"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_beside_a_secret_does_not_tell_it(
    changes: dict[str, object], secret: str
) -> None:
    loaded = changed(changes).load()

    assert loaded.report.errors
    assert secret not in told(loaded.report)
    assert secret not in repr(loaded)


VALID: dict[str, dict[str, object]] = {
    "a password": {PASSWORD: SECRET},
    "a user": {f"{HOST}.bmc.username": SECRET},
    "a pull secret": {"pullSecret": json.dumps({"auths": {"quay.io": {"auth": SECRET}}})},
    "a proxy": {"proxy.httpProxy": f"http://user:{SECRET}@proxy.example.com"},
    "an https proxy": {"proxy.httpsProxy": f"http://user:{SECRET}@proxy.example.com"},
    "a network": {f"{HOST}.networkConfig": {"interfaces": [{"name": "a", "802.1x": SECRET}]}},
    "an image": {f"{METAL}.clusterOSImage": f"https://u:{SECRET}@example.com/i?sha256={'ab' * 32}"},
}


@pytest.mark.parametrize("changes", VALID.values(), ids=VALID)
def test_a_valid_secret_is_in_no_repr(changes: dict[str, object]) -> None:
    loaded = changed(changes).load()

    assert loaded.report.valid
    assert SECRET not in repr(loaded)
    assert SECRET not in str(loaded.config)
    assert SECRET not in told(loaded.report)


def test_a_secret_in_the_name_of_a_field_is_not_told_either() -> None:
    text = f'apiVersion: v1\nmetadata: {{name: a}}\npullSecret:{{"auths":"{SECRET}"}}\n'

    assert SECRET not in told(Config(text.encode()).report())


def test_a_secret_is_revealed_on_demand_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGOT_TEST_PASSWORD", SECRET)

    assert Secret(SecretSource.INLINE, SECRET).reveal() == SECRET
    assert Secret(SecretSource.ENV, "INGOT_TEST_PASSWORD").reveal() == SECRET
    assert repr(Secret(SecretSource.INLINE, SECRET)) == "Secret(inline: …)"


def test_a_secret_in_a_file_is_revealed_without_its_last_line_end(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("secrets") / "password"
    path.write_text(f"{SECRET}\n", encoding="utf-8")

    assert Secret(SecretSource.FILE, str(path)).reveal() == SECRET


@pytest.mark.parametrize(
    "secret",
    [Secret(SecretSource.ENV, "INGOT_NOT_SET"), Secret(SecretSource.FILE, "/nowhere/at/all")],
    ids=["env", "file"],
)
def test_a_secret_that_is_not_there_says_what_to_provide(secret: Secret) -> None:
    with pytest.raises(InstallConfigError, match=r"INGOT_NOT_SET|/nowhere/at/all") as caught:
        secret.reveal()

    assert caught.value.remedy
