"""Invite codes: an address, five bytes of the key that answers there, and what opens a table.

People read them aloud and type them, so case, spaces and dashes do not matter, letters that look
alike are one, and a check letter finds what was mistyped. SPEC 11.11.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from p2p import base32
from p2p.identity import SHORT_BYTES
from p2p.messages import TOKEN_BYTES
from p2p.transport import Address
from protocol.errors import LocalError

GROUP = 4
"""Letters between two hyphens."""

_KINDS = {"A": (4, False), "B": (4, True), "C": (6, False), "D": (6, True)}
"""The first letter: the version of IP, and whether there is a token."""

_HOST_BYTES = {4: 4, 6: 16}
_PORT_BYTES = 2
_DASHES = frozenset("-‐‑‒–—−_")
_MOST_TYPED = 200
"""Characters that are looked at; the longest code has 47 letters."""


@dataclass(frozen=True, slots=True)
class Invite:
    """What a code says. ``short``: the 5 bytes of the key's short form; ``token`` or empty."""

    address: Address
    short: bytes
    token: bytes = field(default=b"", repr=False)


def encode(invite: Invite) -> str:
    """The code, in groups of four letters.

    Raises LocalError for an address that means nothing on another computer: a name, or an IPv6
    address with a scope.
    """
    try:
        host = ipaddress.ip_address(invite.address.host)
        if host.version == 6 and host.scope_id is not None:
            raise ValueError
    except ValueError:
        raise LocalError(f"{invite.address} is no address for an invite code.") from None
    wanted = (host.version, bool(invite.token))
    kind = next(letter for letter, form in _KINDS.items() if form == wanted)
    port = invite.address.port.to_bytes(_PORT_BYTES, "big")
    letters = kind + base32.encode(host.packed + port + invite.short + invite.token)
    letters += base32.ALPHABET[_times_x(_remainder(letters))]
    return "-".join(letters[at : at + GROUP] for at in range(0, len(letters), GROUP))


def decode(typed: str) -> Invite:
    """What a code says, as people type it; raises LocalError with what is wrong."""
    try:
        return _decode(typed)
    except LocalError as error:
        raise LocalError(f"This is no invite code: {error}.") from None


def _decode(typed: str) -> Invite:
    if len(typed) > _MOST_TYPED:
        raise LocalError("it is too long")
    letters = "".join(
        base32.ALPHABET[base32.value(sign)]
        for sign in typed.upper()
        if sign not in _DASHES and not sign.isspace()
    )
    if letters[:1] not in _KINDS:
        raise LocalError("it should begin with A, B, C or D" if letters else "it is empty")
    version, has_token = _KINDS[letters[0]]
    size = _HOST_BYTES[version]
    length = size + _PORT_BYTES + SHORT_BYTES + has_token * TOKEN_BYTES
    due = 2 + base32.letters(length)
    if len(letters) != due:
        raise LocalError(f"it has {len(letters)} letters and should have {due}")
    if _remainder(letters):
        raise LocalError("a letter is wrong, or two have changed places")
    data = base32.decode(letters[1:-1], length)
    host = ipaddress.ip_address(data[:size])
    port = int.from_bytes(data[size : size + _PORT_BYTES], "big")
    if host.is_unspecified or host.is_multicast or port == 0:
        raise LocalError("it leads to an address that no computer has")
    rest = data[size + _PORT_BYTES :]
    return Invite(Address(str(host), port), rest[:SHORT_BYTES], rest[SHORT_BYTES:])


def _remainder(letters: str) -> int:
    """The letters as a polynomial over GF(32), at x: it is 0 when the last one is the check letter.

    So one wrong letter is always found, and two that have changed places are unless 31 lie between.
    """
    total = 0
    for letter in letters:
        total = _times_x(total) ^ base32.value(letter)
    return total


def _times_x(element: int) -> int:
    """An element of GF(32), which is made by x^5 + x^2 + 1, times x."""
    double = element << 1
    return double ^ 0b100101 if double & 32 else double
