"""What Traefik is built from: its module, without the clients of some 190 DNS services.

They come with lego, by which Traefik can have certificates signed. Nothing here makes it do so, and
they are a third of all packages. A release has them; both do the same with what we tell them.

The web page that shows Traefik's routes is not in the module. It is not served here either.
"""

from __future__ import annotations

from typing import Final

from ingot.payload.gomodules import GoProject
from ingot.payload.thinning import Thinned

__all__ = ["traefik_project"]

MODULE: Final = "github.com/traefik/traefik/v3"

NO_DNS_SERVICES: Final = """\
// Package dns knows no DNS services: they are left out of this build.
package dns

import (
	"fmt"

	"github.com/go-acme/lego/v4/challenge"
)

// NewDNSChallengeProviderByName returns an error.
func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, fmt.Errorf("DNS provider %s is left out of this build", name)
}
"""

LEGO: Final = Thinned(
    "github.com/go-acme/lego/v4",
    left_out=("cmd", "e2e", "providers/dns"),
    instead={"providers/dns/none.go": NO_DNS_SERVICES},
)


def traefik_project(version: str) -> GoProject:
    """Return Traefik at a version, without its `v`."""
    return GoProject(
        MODULE,
        f"v{version}",
        {"traefik": f"{MODULE}/cmd/traefik"},
        stamps={f"{MODULE}/pkg/version.Version": version},
        thinned=(LEGO,),
    )
