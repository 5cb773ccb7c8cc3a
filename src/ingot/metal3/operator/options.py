"""What the operator is told by its environment; the names are upstream's where it has one.

All mistakes are found at once. docs/reference/host-operator.md has the table of `VARIABLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final, TypeVar

from ingot.errors import ExitCode, IngotError
from ingot.ironic.access import Access, Credentials, Tls
from ingot.ironic.transport import Limits
from ingot.kube.lease import Terms
from ingot.metal3.host.settings import BootLimits, Settings
from ingot.metal3.node.subject import PersistentBoot, Ramdisk, Site

__all__ = ["VARIABLES", "Options", "OptionsError", "Webhook", "read"]

T = TypeVar("T")

VARIABLES: Final = {
    "KUBECONFIG": ("", "The kubeconfig to use; without it, the pod's service account."),
    "WATCH_NAMESPACE": ("", "The one namespace whose hosts are managed; empty for all."),
    "POD_NAMESPACE": ("metal3", "Where the lease is."),
    "LEADER_ELECTION": ("true", "Act only while holding the lease."),
    "LEASE_DURATION_SECONDS": ("137", "How long others wait for a leader that is silent."),
    "RENEW_DEADLINE_SECONDS": ("107", "How long a leader acts without having renewed."),
    "RETRY_PERIOD_SECONDS": ("26", "How often the lease is renewed or asked for."),
    "IRONIC_ENDPOINT": ("", "The address of Ironic's API. Has to be given."),
    "METAL3_AUTH_ROOT_DIR": ("/opt/metal3/auth", "`ironic/username` and `ironic/password` below."),
    "IRONIC_CACERT_FILE": ("/opt/metal3/certs/ca/tls.crt", "Who may have signed its certificate."),
    "IRONIC_CLIENT_CERT_FILE": ("", "Our own certificate for Ironic, if it asks for one."),
    "IRONIC_CLIENT_PRIVATE_KEY_FILE": ("", "Its key."),
    "IRONIC_INSECURE": ("false", "Do not look at Ironic's certificate."),
    "IRONIC_SKIP_CLIENT_SAN_VERIFY": ("false", "Do not compare its names with the address."),
    "IRONIC_CLIENT_TIMEOUT": ("30", "Seconds that a call of Ironic may take."),
    "IRONIC_EXTERNAL_URL_V6": ("", "Where BMCs with an IPv6 address fetch images from."),
    "DEPLOY_KERNEL_URL": ("", "The ramdisk's kernel."),
    "DEPLOY_RAMDISK_URL": ("", "The ramdisk itself."),
    "DEPLOY_ISO_URL": ("", "Both as an ISO, for virtual media."),
    "DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE": ("Default", "Default, Always or Never."),
    "LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE": ("Default", "Default, Always or Never."),
    "BUILD_PREPROV_IMAGE": ("false", "Ask for a PreprovisioningImage for each host."),
    "PROVISIONING_NETWORK_DISABLED": ("false", "Hosts cannot boot over the network."),
    "PROVISIONING_LIMIT": ("20", "Hosts that are worked on at once, without virtual media."),
    "MAX_PROVISIONING_RETRIES": ("5", "Failures of one image after which it is left; 0: never."),
    "BMO_CONCURRENCY": ("32", "Hosts that are looked at at once."),
    "INGOT_BOOTS_AT_ONCE": ("8", "Ramdisks that boot over the network at once."),
    "INGOT_BOOT_LIMITS": ("", "Seconds for parts of a boot: `dhcp=600,kernel=180,cycles=2`."),
    "INGOT_DHCP_LOG": ("", "dnsmasq's log, by which boots are followed."),
    "INGOT_HTTP_LOG": ("", "The web server's log, likewise."),
    "INGOT_HEALTH_PORT": ("9440", "/healthz, /readyz and /metrics; 0 takes any free port."),
    "INGOT_WEBHOOK_PORT": ("", "Judge objects before they are stored, on this port."),
    "INGOT_WEBHOOK_URL": ("", "How the API server reaches it, if not by the Service."),
    "INGOT_WEBHOOK_SERVICE": ("ingot-metal3", "The Service by which it does."),
    "INGOT_WEBHOOK_CERTIFICATES": ("/var/lib/ingot/webhook", "Where its certificates are kept."),
    "INGOT_DRIVER": ("", "Another driver for all hosts: `fake-hardware` needs no servers."),
    "INGOT_LOG_LEVEL": ("info", "debug, info, warning or error."),
}
"""Each with its default and its meaning."""

_BOOLEAN: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_PERSISTENT: Final = frozenset({"Default", "Always", "Never"})
_LEVELS: Final = frozenset({"debug", "info", "warning", "error"})


class OptionsError(IngotError):
    """The environment does not say what the operator has to know.

    Attributes:
        mistakes: each with its variable.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__(
            "the environment cannot be used: " + "; ".join(mistakes),
            remedy="set these variables as docs/reference/host-operator.md says",
        )
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """How objects are judged before they are stored.

    Attributes:
        url: how the API server reaches us; "" by the service.
        certificates: the folder of its certificates.
    """

    port: int
    url: str
    service: str
    certificates: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that the operator is told."""

    kubeconfig: Path | None
    namespace: str
    own_namespace: str
    terms: Terms | None
    ironic: Access
    limits: Limits
    site: Site
    settings: Settings
    builds_ramdisks: bool
    workers: int
    health_port: int
    webhook: Webhook | None = None
    dhcp_log: Path | None = None
    http_log: Path | None = None
    log_level: str = field(default="info")


def read(environment: Mapping[str, str]) -> Options:
    """Return what the environment says.

    Raises:
        OptionsError: something is missing or wrong; all of it is named.
    """
    reading = _Reading(environment)
    options = reading.options()
    if reading.mistakes or options is None:
        raise OptionsError(reading.mistakes)
    return options


class _Reading:
    """Reads variables, and collects what is wrong with them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.mistakes: list[str] = []

    def options(self) -> Options | None:
        made = {
            "kubeconfig": self._path("KUBECONFIG"),
            "namespace": self._text("WATCH_NAMESPACE"),
            "own_namespace": self._text("POD_NAMESPACE"),
            "terms": self._terms() if self._flag("LEADER_ELECTION") else None,
            "ironic": self._ironic(),
            "limits": Limits(deadline=self._number("IRONIC_CLIENT_TIMEOUT", float)),
            "site": self._site(),
            "settings": self._settings(),
            "builds_ramdisks": self._flag("BUILD_PREPROV_IMAGE"),
            "workers": self._number("BMO_CONCURRENCY", int),
            "health_port": self._number("INGOT_HEALTH_PORT", int),
            "webhook": self._webhook(),
            "dhcp_log": self._path("INGOT_DHCP_LOG"),
            "http_log": self._path("INGOT_HTTP_LOG"),
            "log_level": self._one_of("INGOT_LOG_LEVEL", _LEVELS),
        }
        return None if self.mistakes else Options(**made)  # type: ignore[arg-type] # each by its reader

    def _ironic(self) -> Access | None:
        url, tls = self._text("IRONIC_ENDPOINT"), self._tls()
        if not url:
            self.mistakes.append("IRONIC_ENDPOINT is missing")
            return None
        try:
            return Access(url, self._credentials(), tls)
        except IngotError as error:
            self.mistakes.append(f"IRONIC_ENDPOINT: {error}")
            return None

    def _credentials(self) -> Credentials | None:
        folder = Path(self._text("METAL3_AUTH_ROOT_DIR")) / "ironic"
        return Credentials.read(folder) if folder.is_dir() else None

    def _tls(self) -> Tls:
        ca_file = self._path("IRONIC_CACERT_FILE")
        certificate = self._path("IRONIC_CLIENT_CERT_FILE")
        key = self._path("IRONIC_CLIENT_PRIVATE_KEY_FILE")
        if (certificate is None) != (key is None):
            self.mistakes.append(
                "IRONIC_CLIENT_CERT_FILE and IRONIC_CLIENT_PRIVATE_KEY_FILE go together"
            )
        told = "IRONIC_CACERT_FILE" in self._environment
        return Tls(
            ca_file=ca_file if ca_file and (told or ca_file.exists()) else None,
            certificate=(certificate, key) if certificate and key else None,
            verify=not self._flag("IRONIC_INSECURE"),
            verify_host=not self._flag("IRONIC_SKIP_CLIENT_SAN_VERIFY"),
        )

    def _site(self) -> Site:
        if self._text("DEPLOY_KERNEL_URL") and not self._text("DEPLOY_RAMDISK_URL"):
            if not self._flag("BUILD_PREPROV_IMAGE"):
                self.mistakes.append("DEPLOY_KERNEL_URL is given without DEPLOY_RAMDISK_URL")
        elif self._text("DEPLOY_RAMDISK_URL") and not self._text("DEPLOY_KERNEL_URL"):
            self.mistakes.append("DEPLOY_RAMDISK_URL is given without DEPLOY_KERNEL_URL")
        return Site(
            ramdisk=Ramdisk(
                iso=self._text("DEPLOY_ISO_URL"),
                kernel=self._text("DEPLOY_KERNEL_URL"),
                initrd=self._text("DEPLOY_RAMDISK_URL"),
            ),
            external_url_v6=self._text("IRONIC_EXTERNAL_URL_V6"),
            provisioning_network=not self._flag("PROVISIONING_NETWORK_DISABLED"),
            persistent_boot=PersistentBoot(
                image=self._one_of("DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE", _PERSISTENT),
                live_iso=self._one_of("LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE", _PERSISTENT),
            ),
            driver=self._text("INGOT_DRIVER") or None,
        )

    def _settings(self) -> Settings:
        return Settings(
            capacity=self._number("PROVISIONING_LIMIT", int),
            boots=self._number("INGOT_BOOTS_AT_ONCE", int),
            provisioning_retries=self._number("MAX_PROVISIONING_RETRIES", int),
            boot=self._boot_limits(),
        )

    def _boot_limits(self) -> BootLimits:
        limits, known = BootLimits(), {one.name for one in fields(BootLimits)}
        for part in filter(None, self._text("INGOT_BOOT_LIMITS").split(",")):
            name, _, number = part.partition("=")
            if name not in known or not number.isdigit():
                named = ", ".join(sorted(known))
                self.mistakes.append(f"INGOT_BOOT_LIMITS: {part!r} is none of {named} = a number")
                continue
            limits = replace(limits, **{name: int(number)})
        return limits

    def _terms(self) -> Terms | None:
        try:
            return Terms(
                duration=self._number("LEASE_DURATION_SECONDS", float),
                renew_deadline=self._number("RENEW_DEADLINE_SECONDS", float),
                retry_period=self._number("RETRY_PERIOD_SECONDS", float),
            )
        except ValueError as error:
            self.mistakes.append(f"LEASE_DURATION_SECONDS: {error}")
            return None

    def _webhook(self) -> Webhook | None:
        if not self._text("INGOT_WEBHOOK_PORT"):
            return None
        return Webhook(
            port=self._number("INGOT_WEBHOOK_PORT", int),
            url=self._text("INGOT_WEBHOOK_URL"),
            service=self._text("INGOT_WEBHOOK_SERVICE"),
            certificates=Path(self._text("INGOT_WEBHOOK_CERTIFICATES")),
        )

    def _text(self, name: str) -> str:
        return self._environment.get(name, VARIABLES[name][0]).strip()

    def _path(self, name: str) -> Path | None:
        text = self._text(name)
        return Path(text) if text else None

    def _flag(self, name: str) -> bool:
        text = self._text(name).lower()
        if text not in _BOOLEAN:
            self.mistakes.append(f"{name} is {text!r}, and neither true nor false")
        return _BOOLEAN.get(text, False)

    def _one_of(self, name: str, known: frozenset[str]) -> str:
        text = self._text(name)
        if text not in known:
            self.mistakes.append(f"{name} is {text!r}, and none of {', '.join(sorted(known))}")
        return text

    def _number(self, name: str, kind: Callable[[str], T]) -> T:
        text = self._text(name)
        try:
            return kind(text)
        except ValueError:
            self.mistakes.append(f"{name} is {text!r}, and no number")
            return kind(VARIABLES[name][0] or "0")
