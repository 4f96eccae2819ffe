"""Where a scheduler is, and whether its network may be trusted.

Whoever reaches a scheduler or a worker of Dask can have it run anything: Dask asks for no password, and what it sends are pickles. With
TLS both ends show certificates. So an address that the whole Internet may reach is refused without TLS, unless the user insists.

Source: none. Public is what the IANA registries call globally reachable (`ipaddress.is_global`).
"""

from __future__ import annotations

import ipaddress
import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

from sawtooth.errors import InputError

OPTION = "--scheduler"
SCHEMES = ("tcp", "tls")
ACCEPTED = "tcp://HOST:PORT or tls://HOST:PORT, or a scheduler file that ends in .json"


def checked(scheduler: str, *, trusted: bool = False, key: str = OPTION) -> str:
    """The address, with its scheme. InputError for what is no address, and for a public one without TLS unless it is `trusted`; `key` is
    where it was written."""
    text = _of_file(Path(scheduler), key) if scheduler.endswith(".json") else scheduler
    whole = text if "://" in text else f"tcp://{text}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None or parts.scheme not in SCHEMES:
        raise InputError("sawtooth", key, scheduler, ACCEPTED)
    if parts.scheme != "tls" and not trusted:
        public = [address for address in addresses(host) if ipaddress.ip_address(address).is_global]
        if public:
            accepted = (
                f"tls:// for a scheduler on the public address {public[0]}: Dask runs whatever it is sent"
            )
            hint = "docs/clusters.md says how to turn TLS on; --trust-network accepts it as it is"
            raise InputError("sawtooth", key, scheduler, accepted, hint)
    return whole


def addresses(host: str) -> list[str]:
    """The numbers behind a name; none where nobody knows it, so that connecting says so."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


def _of_file(path: Path, key: str) -> str:
    """The address in the file that `dask scheduler --scheduler-file` writes."""
    try:
        return str(json.loads(path.read_text())["address"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        accepted = f"a file that `dask scheduler --scheduler-file` wrote ({error})"
        raise InputError("sawtooth", key, str(path), accepted) from None


__all__ = ["OPTION", "addresses", "checked"]
