"""nginx, as it serves a copy of the images to the nodes that want one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NoReturn

from ingot.metal3.cluster.images.places import PORT, READY

__all__ = ["become_server", "configuration"]

NGINX: Final = "/usr/sbin/nginx"
IPV6: Final = Path("/proc/net/if_inet6")
"""There where the kernel has IPv6."""


def configuration(folder: Path, scratch: Path, *, ipv6: bool, port: int = PORT) -> str:
    """Return nginx.conf.

    Args:
        folder: what is served.
        scratch: where nginx may write.
        ipv6: whether the machine has IPv6; without it nginx would not start.
        port: where it listens, on every address.
    """
    also = f"\n        listen [::]:{port};" if ipv6 else ""
    return f"""\
daemon off;
error_log stderr;
pid "{scratch}/pid";
user root;
worker_processes 1;

events {{
    worker_connections 64;
}}

http {{
    access_log /dev/stdout;
    client_body_temp_path "{scratch}/body";
    fastcgi_temp_path "{scratch}/fastcgi";
    proxy_temp_path "{scratch}/proxy";
    scgi_temp_path "{scratch}/scgi";
    uwsgi_temp_path "{scratch}/uwsgi";
    default_type application/octet-stream;
    sendfile on;
    sendfile_max_chunk 2m;
    server_tokens off;

    server {{
        listen {port};{also}
        root "{folder}";
        location / {{
            limit_except GET {{
                deny all;
            }}
        }}
        location = {READY} {{
            access_log off;
            return 204;
        }}
    }}
}}
"""


def become_server(folder: Path, scratch: Path) -> NoReturn:
    """Take this process's place with nginx: what serves needs no Python."""
    scratch.mkdir(parents=True, exist_ok=True)
    path = scratch / "nginx.conf"
    path.write_text(configuration(folder, scratch, ipv6=IPV6.exists()), encoding="utf-8")
    # Until it has read its configuration it would log into a root that is read-only.
    words = [NGINX, "-e", "stderr", "-c", str(path)]
    os.execv(words[0], words)  # noqa: S606 - the image's own program
