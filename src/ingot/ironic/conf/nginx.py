"""nginx: images, ramdisks, iPXE scripts and virtual media, for whoever boots.

Nothing here is secret and nobody is asked for a password: a server that boots from the network has
none. Virtual media may be fetched over TLS as well, since BMCs are on another network.

Who fetches what is written twice: for people on standard output, and into a file with a line of
JSON for each, which the operator follows to see who boots. nginx never shortens that file, so it is
to be run by `ingot.metal3.operator.boots`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from ingot.ironic.conf.ironic import HTML, TlsFiles
from ingot.ironic.conf.value import one_line

__all__ = ["BOOT_LOG", "WebServer"]

PID = PurePosixPath("/run/nginx.pid")
SCRATCH = PurePosixPath("/var/lib/nginx")
BOOT_LOG = PurePosixPath("/shared/log/web.log")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebServer:
    """Everything that nginx is told.

    Attributes:
        port: where it serves plain HTTP, on every address.
        tls: with it, the same is served encrypted at `tls_port`.
        ipv6: whether the machine has IPv6; without it nginx would not start.
        pid_file: where its process is noted.
        scratch: a folder in which it may write; it makes its own below, also those it never uses.
        boot_log: where it writes who has fetched what; its folder has to be there.
        user: whose rights its workers have.
    """

    port: int = 6180
    tls: TlsFiles | None = None
    tls_port: int = 6183
    ipv6: bool = True
    pid_file: PurePosixPath = PID
    scratch: PurePosixPath = SCRATCH
    boot_log: PurePosixPath = BOOT_LOG
    user: str = "www-data"

    def render(self) -> str:
        """Return nginx.conf.

        Raises:
            UnusableValueError: a value has a line break in it.
        """
        return f"""\
daemon off;
error_log stderr;
pid {_word(self.pid_file)};
user {_word(self.user)};
worker_processes auto;

events {{
    worker_connections 1024;
}}

http {{
    log_format boots escape=json '{{"at":$msec,"from":"$remote_addr",'
        '"method":"$request_method","path":"$uri",'
        '"status":$status,"done":"$request_completion"}}';
    access_log /dev/stdout;
    access_log {_word(self.boot_log)} boots;
    client_body_temp_path {_word(self.scratch / "body")};
    fastcgi_temp_path {_word(self.scratch / "fastcgi")};
    proxy_temp_path {_word(self.scratch / "proxy")};
    scgi_temp_path {_word(self.scratch / "scgi")};
    uwsgi_temp_path {_word(self.scratch / "uwsgi")};
    default_type application/octet-stream;
    sendfile on;
    server_tokens off;
    tcp_nopush on;

    server {{
{self._listening(self.port)}
{self._files()}
    }}
{self._encrypted()}}}
"""

    def _listening(self, port: int, how: str = "") -> str:
        addresses = ["", "[::]:"] if self.ipv6 else [""]
        return "\n".join(f"        listen {address}{port}{how};" for address in addresses)

    def _files(self) -> str:
        return f"""\
        root {HTML};
        location / {{
            limit_except GET {{
                deny all;
            }}
        }}"""

    def _encrypted(self) -> str:
        if self.tls is None:
            return ""
        return f"""
    server {{
{self._listening(self.tls_port, " ssl")}
        ssl_certificate {_word(self.tls.certificate)};
        ssl_certificate_key {_word(self.tls.key)};
        ssl_protocols TLSv1.2 TLSv1.3;
{self._files()}
    }}
"""


def _word(value: object) -> str:
    """Return a value as one word of nginx, whatever signs it has."""
    text = one_line(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
