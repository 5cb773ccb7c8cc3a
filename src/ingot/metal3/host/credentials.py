"""The BMC's credentials: there, missing, unusable, changed."""

from __future__ import annotations

from dataclasses import replace

from ingot.metal3.api.events import EventReason
from ingot.metal3.api.hoststatus import CredentialsStatus
from ingot.metal3.api.references import SecretReference
from ingot.metal3.api.states import ErrorType
from ingot.metal3.host import counting
from ingot.metal3.host.failing import stand
from ingot.metal3.host.observation import CredentialsGood, CredentialsUnusable
from ingot.metal3.host.turn import Outcome, Turn

__all__ = ["are_new", "found_good", "not_usable", "tried"]


def not_usable(turn: Turn) -> Outcome | None:
    """Return that the credentials keep the host from being managed, if they do."""
    credentials = turn.seen.credentials
    if isinstance(credentials, CredentialsGood):
        return None
    secret = turn.spec.bmc.credentials_name if turn.spec.bmc else ""
    delays = turn.settings.delays
    if isinstance(credentials, CredentialsUnusable):
        why = f'the Secret "{secret}" with the BMC credentials cannot be used: {credentials.reason}'
        metric, every = counting.CREDENTIALS_INVALID, delays.hopeless
    else:
        why = f'the Secret "{secret}" with the BMC credentials does not exist'
        metric, every = counting.CREDENTIALS_MISSING, delays.secret_missing
    if not turn.has_error(ErrorType.REGISTRATION) or turn.status.error_message != why:
        turn.warn(EventReason.BMC_CREDENTIAL_ERROR, why)
        turn.count(metric)
    return stand(turn, ErrorType.REGISTRATION, why, every=every)


def are_new(turn: Turn) -> bool:
    """Return whether Ironic has not been given these credentials yet."""
    return turn.status.tried_credentials != _present(turn)


def tried(turn: Turn) -> None:
    """Note that Ironic has been given the credentials."""
    turn.status = replace(turn.status, tried_credentials=_present(turn))


def found_good(turn: Turn) -> None:
    """Note that the BMC has taken the credentials."""
    present = _present(turn)
    good = turn.status.good_credentials
    if good == present:
        return
    if good != CredentialsStatus():
        turn.count(counting.CREDENTIALS_UPDATED)
    turn.tell(EventReason.BMC_ACCESS_VALIDATED, "the BMC has accepted the credentials")
    turn.status = replace(turn.status, good_credentials=present, tried_credentials=present)


def _present(turn: Turn) -> CredentialsStatus:
    credentials = turn.seen.credentials
    return CredentialsStatus(
        credentials=SecretReference(
            name=turn.spec.bmc.credentials_name if turn.spec.bmc else "",
            namespace=turn.meta.namespace,
        ),
        credentials_version=credentials.version if isinstance(credentials, CredentialsGood) else "",
    )
