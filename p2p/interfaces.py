"""Which addresses of this machine we use: all, or those of the one interface that was chosen.

Interfaces are listed, never found out by "connecting" to some public address.
"""

from __future__ import annotations

import ipaddress
import os

import ifaddr

from protocol.errors import LocalError

VARIABLE = "FACEDOWN_INTERFACE"
"""The environment variable that stands in for ``--interface``."""


def chosen(option: str | None = None) -> str | None:
    """What the user chose: the option, else the environment variable, else None for all."""
    return option or os.environ.get(VARIABLE) or None


def local_addresses(choice: str | None) -> tuple[str, ...]:
    """Numeric addresses to be reached at, IPv4 first, each once.

    ``choice`` is None, an interface's name or one address of it. Without a choice loopback counts
    only if there is nothing else. Link-local IPv6 addresses are left out, since they mean nothing
    without the other machine's name for the interface. Raises LocalError for a choice that this
    machine does not have. Asks the system each time: about a millisecond, blocking.
    """
    if choice is not None and is_loopback(choice):
        return (choice,)
    listed = _listed()
    if choice is None:
        every = [address for _, address in listed]
        return _sorted([a for a in every if not is_loopback(a)] or every)
    found = [address for name, address in listed if choice in (name, address)]
    if not found:
        known = ", ".join(sorted({name for name, _ in listed})) or "none"
        raise LocalError(f"This machine has no network interface {choice!r}. It has: {known}.")
    return _sorted(found)


def source_address(choice: str, host: str) -> str | None:
    """The address to dial ``host`` from when an interface was chosen; None if it has none fit.

    Raises LocalError like ``local_addresses``. A host that is a name may be reached by any.
    """
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        version = None
    for address in local_addresses(choice):
        if version in (None, ipaddress.ip_address(address).version):
            return address
    return None


def is_loopback(host: str) -> bool:
    """Whether a numeric address is of 127/8 or ::1; False for a name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def can_be_dialled(host: str) -> bool:
    """Whether a numeric address may belong to one computer that is not this one.

    False for names, for unspecified, multicast, broadcast and reserved addresses, for loopback,
    and for link-local IPv6 without a scope.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    if address.version == 6:
        if address.ipv4_mapped is not None:
            return can_be_dialled(str(address.ipv4_mapped))
        if address.is_link_local and address.scope_id is None:
            return False
    elif int(address) >> 24 in (0, *range(240, 256)):
        return False  # "this network"; reserved, and broadcast
    return not (address.is_loopback or address.is_unspecified or address.is_multicast)


def _listed() -> list[tuple[str, str]]:
    """(interface, address) for all that are up; raises LocalError if the system does not tell."""
    try:
        adapters = list(ifaddr.get_adapters())
    except OSError as error:
        raise LocalError(f"The network interfaces cannot be listed: {error}") from error
    pairs = [
        (adapter.nice_name, ip.ip if isinstance(ip.ip, str) else ip.ip[0])
        for adapter in adapters
        for ip in adapter.ips
    ]
    return [(name, ip) for name, ip in pairs if not _is_link_local_v6(ip)]


def _is_link_local_v6(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    return parsed.version == 6 and parsed.is_link_local


def _sorted(addresses: list[str]) -> tuple[str, ...]:
    """Each once, IPv4 first: it is what works on most local networks."""
    parsed = {ipaddress.ip_address(address) for address in addresses}
    return tuple(str(ip) for ip in sorted(parsed, key=lambda ip: (ip.version, int(ip))))
