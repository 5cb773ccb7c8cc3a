"""The wizard's answers: their checks, their kept form, and the file they give."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ingot.config.draft import (
    Answer,
    Draft,
    HostDraft,
    Question,
    Slot,
    problems,
    questions,
    refusal,
    render,
    suggestion,
)
from ingot.config.loading import load
from ingot.config.model import ProvisioningNetwork, Role
from ingot.config.secret import Secret, SecretSource

MANAGED, UNMANAGED, DISABLED = ProvisioningNetwork
KEY = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJd6Y0VT2bYlKyxMfNcgl2nsQ4zXLnmgGmTlWzHiUKyG "
    "you@example.com"
)


def host(number: int, name: str, mode: ProvisioningNetwork) -> HostDraft:
    scheme = "redfish-virtualmedia" if mode is DISABLED else "redfish"
    secret = Secret(SecretSource.INLINE, f'p"ä#{{}}: {number}')
    return HostDraft(
        name=name,
        bmc_address=f"{scheme}://198.51.100.{number}/redfish/v1/Systems/1",
        username="admin",
        password=secret if number % 2 else Secret(SecretSource.ENV, "BMC_PASSWORD"),
        boot_mac=f"52:54:00:00:00:{number}",
    )


def answers(mode: ProvisioningNetwork = MANAGED, *, static: bool = False) -> Draft:
    return Draft(
        cluster_name="rack1",
        base_domain="example.com",
        machine_network="192.0.2.0/24",
        api_vip="192.0.2.5",
        ingress_vip="192.0.2.6",
        mode=mode,
        provisioning_network="172.22.0.0/24",
        provisioning_bridge="provisioning",
        dhcp_range="172.22.0.10,172.22.0.254",
        external_bridge="baremetal",
        static_bootstrap=static,
        bootstrap_ip="192.0.2.9",
        bootstrap_gateway="192.0.2.1",
        bootstrap_dns="192.0.2.1",
        ssh_key=KEY,
        masters=3,
        workers=2,
        master_hosts=tuple(host(10 + i, f"cp-{i}", mode) for i in range(3)),
        worker_hosts=tuple(host(20 + i, f"worker-{i}", mode) for i in range(2)),
    )


EVERY_MODE = [
    pytest.param(answers(MANAGED), id="managed"),
    pytest.param(answers(UNMANAGED), id="unmanaged"),
    pytest.param(answers(DISABLED), id="disabled"),
    pytest.param(answers(DISABLED, static=True), id="disabled-static"),
    pytest.param(
        answers().model_copy(
            update={
                "machine_network": "2001:db8::/64",
                "api_vip": "2001:db8::5",
                "ingress_vip": "2001:db8::6",
            }
        ),
        id="ipv6",
    ),
    pytest.param(answers().model_copy(update={"ssh_key": ""}), id="no-login"),
    pytest.param(answers().model_copy(update={"masters": 1, "workers": 0}), id="one-server"),
]


def question(draft: Draft, slot: Slot) -> Question:
    return next(one for one in questions(draft) if one.slot == slot)


@pytest.mark.parametrize("draft", EVERY_MODE)
def test_the_file_is_valid_in_every_mode(draft: Draft) -> None:
    assert problems(draft).errors == []


@pytest.mark.parametrize("mode", ProvisioningNetwork)
def test_the_chosen_mode_is_in_the_file(mode: ProvisioningNetwork) -> None:
    config = load(render(answers(mode)).encode()).config
    assert config is not None
    assert config.baremetal.provisioning_network is mode


def test_every_answer_is_in_the_file() -> None:
    config = load(render(answers(DISABLED, static=True)).encode()).config
    assert config is not None
    platform = config.baremetal
    assert config.cluster_domain == "rack1.example.com"
    assert config.ssh_key == KEY
    assert [str(vip) for vip in (*platform.api_vips, *platform.ingress_vips)] == [
        "192.0.2.5",
        "192.0.2.6",
    ]
    assert str(platform.bootstrap_external_static_ip) == "192.0.2.9"
    assert [one.role for one in platform.hosts] == [Role.MASTER] * 3 + [Role.WORKER] * 2
    assert platform.hosts[1].bmc.password == Secret(SecretSource.INLINE, 'p"ä#{}: 11')
    assert platform.hosts[0].boot_mac_address == "52:54:00:00:00:10"


def test_answers_of_another_mode_stay_out_of_the_file() -> None:
    assert "bootstrapExternal" not in render(answers(MANAGED, static=True))
    assert "provisioningNetworkCIDR" not in render(answers(DISABLED))
    assert "provisioningDHCPRange" not in render(answers(UNMANAGED))


def test_other_readers_of_yaml_take_a_mac_for_text() -> None:
    document = yaml.safe_load(render(answers()))
    hosts = document["platform"]["baremetal"]["hosts"]
    assert hosts[0]["bootMACAddress"] == "52:54:00:00:00:10"


@pytest.mark.parametrize(
    "comment",
    [
        "# Check it with `ingot validate`",
        "# the API is api.rack1.example.com",
        "# where the servers and the two VIPs live",
        "# Ingot runs DHCP and network boot there",
        "# Bridges of the host that runs the bootstrap VM.",
        "# the card on the provisioning network",
        "# Who may log in to the nodes:",
    ],
)
def test_the_file_explains_itself(comment: str) -> None:
    assert render(answers()).count(comment) == 1


@pytest.mark.parametrize("machine", ["10.0.0.0/8", "10.128.0.0/24", "172.30.4.0/24"])
def test_pods_and_services_make_way_for_the_machine_network(machine: str) -> None:
    slot = Slot("machine_network")
    assert refusal(Draft(), question(Draft(), slot), machine) == ""


@pytest.mark.parametrize("draft", [*EVERY_MODE, Draft(), Draft(cluster_name="half")])
def test_the_kept_form_gives_the_same_draft_back(draft: Draft) -> None:
    assert Draft.from_json(draft.as_json()) == draft


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cluster_name": 7}', '{"other": "x"}'])
def test_what_is_no_kept_draft_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Draft"):
        Draft.from_json(text)


def test_a_draft_does_not_show_its_passwords() -> None:
    secret = Secret(SecretSource.INLINE, "hunter2")
    draft = Draft(masters=1, master_hosts=(HostDraft(password=secret),))
    assert "hunter2" not in repr(draft)


@pytest.mark.parametrize("draft", EVERY_MODE)
def test_good_answers_pass_one_by_one_in_the_order_of_the_questions(draft: Draft) -> None:
    refused = {}
    for one in questions(draft):
        answer = draft.answer(one.slot)
        assert answer is not None
        refused[one.slot] = refusal(draft, one, answer)
    assert set(refused.values()) == {""}


def master(name: str, index: int = 0) -> Slot:
    return Slot(name, Role.MASTER, index)


@pytest.mark.parametrize(
    ("slot", "answer", "reason"),
    [
        (Slot("cluster_name"), "", "needs an answer"),
        (Slot("cluster_name"), "rack.1", "dot"),
        (Slot("cluster_name"), "Rack", "DNS name"),
        (Slot("cluster_name"), "a: b\n- c", "DNS name"),
        (Slot("cluster_name"), "x" * 60, "60 characters"),
        (Slot("base_domain"), "exa mple", "DNS name"),
        (Slot("machine_network"), "192.0.2.0", "prefix length"),
        (Slot("machine_network"), "192.0.2.1/24", "192.0.2.0/24"),
        (Slot("api_vip"), "192.0.3.5", "machine network"),
        (Slot("api_vip"), "192.0.2.0", "192.0.2.0/24"),
        (Slot("api_vip"), "192.0.2.255", "broadcast"),
        (Slot("api_vip"), "five", "IP address"),
        (Slot("ingress_vip"), "192.0.2.5", "apiVIPs"),
        (Slot("provisioning_network"), "192.0.2.0/25", "overlaps"),
        (Slot("provisioning_network"), "172.22.0.0/30", "small"),
        (Slot("dhcp_range"), "172.22.0.9", "range"),
        (Slot("dhcp_range"), "172.22.0.2,172.22.0.9", "bootstrapProvisioningIP"),
        (Slot("dhcp_range"), "172.23.0.10,172.23.0.20", "provisioningNetworkCIDR"),
        (Slot("ssh_key"), "ssh-ed25519 AAAA", "public key"),
        (Slot("ssh_key"), "-----BEGIN OPENSSH PRIVATE KEY-----", "private"),
        (Slot("masters"), 4, "control plane"),
        (Slot("workers"), -1, "-1"),
        (master("name"), "api", "'api'"),
        (master("name", 1), "cp-0", "'cp-0'"),
        (master("bmc_address"), "redfsh://198.51.100.10", "redfsh"),
        (master("bmc_address", 1), "ipmi://192.0.2.5", "BMC"),
        (
            master("bmc_address", 1),
            "redfish://198.51.100.10/redfish/v1/Systems/1",
            "same BMC",
        ),
        (master("username"), "", "needs an answer"),
        (master("username"), "caf\udce9", "no text"),
        (master("password"), Secret(SecretSource.ENV, "NOT A NAME"), "environment variable"),
        (master("boot_mac"), "52:54", "MAC address"),
        (master("boot_mac"), "01:54:00:00:00:01", "multicast"),
        (master("boot_mac", 2), "52:54:00:00:00:10", "'cp-0'"),
    ],
)
def test_bad_answers_are_refused_with_the_reason(slot: Slot, answer: Answer, reason: str) -> None:
    draft = answers()
    assert reason in refusal(draft, question(draft, slot), answer)


@pytest.mark.parametrize(
    ("slot", "answer", "reason"),
    [
        (Slot("bootstrap_ip"), "192.0.3.9", "machine network"),
        (Slot("bootstrap_ip"), "192.0.2.5", "bootstrapExternalStaticIP"),
        (Slot("bootstrap_gateway"), "192.0.2.9", "bootstrapExternalStaticGateway"),
        (Slot("bootstrap_dns"), "ns1", "IP address"),
        (master("bmc_address"), "ipmi://198.51.100.10", "Disabled"),
        (master("bmc_address"), "redfish://198.51.100.10", "Disabled"),
        (master("bmc_address"), "redfish-uefihttp://198.51.100.10", "path"),
    ],
)
def test_bad_answers_without_a_provisioning_network_are_refused(
    slot: Slot, answer: str, reason: str
) -> None:
    draft = answers(DISABLED, static=True)
    assert reason in refusal(draft, question(draft, slot), answer)


def test_an_answer_is_judged_by_those_before_it_alone() -> None:
    draft = answers()
    assert refusal(draft, question(draft, Slot("machine_network")), "198.18.0.0/24") == ""


def test_a_changed_answer_makes_a_later_one_fall() -> None:
    draft = answers().answered(Slot("machine_network"), "198.18.0.0/24")
    assert "machine network" in refusal(draft, question(draft, Slot("api_vip")), "192.0.2.5")


@pytest.mark.parametrize(
    ("slot", "offered"),
    [
        (Slot("cluster_name"), None),
        (Slot("ingress_vip"), "192.0.2.6"),
        (Slot("mode"), MANAGED),
        (Slot("provisioning_network"), "172.22.0.0/24"),
        (Slot("provisioning_bridge"), "provisioning"),
        (Slot("dhcp_range"), "172.22.0.10,172.22.0.254"),
        (Slot("external_bridge"), "baremetal"),
        (Slot("masters"), 3),
        (master("name", 2), "cp-2"),
        (master("bmc_address"), None),
        (master("bmc_address", 1), "redfish://198.51.100.11/redfish/v1/Systems/1"),
        (Slot("name", Role.WORKER, 1), "worker-1"),
        (
            Slot("bmc_address", Role.WORKER, 0),
            "redfish://198.51.100.13/redfish/v1/Systems/1",
        ),
        (Slot("username", Role.WORKER, 0), "admin"),
        (master("boot_mac"), None),
    ],
)
def test_suggestions(slot: Slot, offered: Answer | None) -> None:
    draft = answers()
    assert suggestion(draft, question(draft, slot)) == offered


def test_the_dhcp_range_follows_its_network() -> None:
    draft = answers().answered(Slot("provisioning_network"), "198.18.0.0/26")
    assert suggestion(draft, question(draft, Slot("dhcp_range"))) == "198.18.0.10,198.18.0.62"


@pytest.mark.parametrize(("name", "offered"), [("bootstrap_gateway", "192.0.2.1")])
def test_suggestions_for_a_static_bootstrap(name: str, offered: str) -> None:
    draft = answers(DISABLED, static=True)
    assert suggestion(draft, question(draft, Slot(name))) == offered


def test_hosts_come_back_when_a_lowered_number_is_raised_again() -> None:
    draft = answers().answered(Slot("workers"), 0).answered(Slot("workers"), 2)
    assert draft == answers()


@given(st.text(min_size=1))
def test_a_password_is_refused_or_comes_out_as_it_went_in(text: str) -> None:
    slot, secret = master("password"), Secret(SecretSource.INLINE, text)
    draft = answers()
    if refusal(draft, question(draft, slot), secret):
        assert not text.isprintable()
        return
    config = load(render(draft.answered(slot, secret)).encode()).config
    assert config is not None
    assert config.baremetal.hosts[0].bmc.password == secret


@given(st.text(min_size=1))
def test_a_user_name_is_refused_or_comes_out_as_it_went_in(text: str) -> None:
    slot, draft = master("username"), answers()
    if refusal(draft, question(draft, slot), text):
        assert not text.isprintable()
        return
    config = load(render(draft.answered(slot, text)).encode()).config
    assert config is not None
    assert config.baremetal.hosts[0].bmc.username == Secret(SecretSource.INLINE, text)
