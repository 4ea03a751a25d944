"""Bits as letters that survive being read aloud: Crockford's base32, in capitals. SPEC 11.1.

The digits and the letters without I, L, O and U. Reading takes small letters too, O for 0 and
I or L for 1, and skips hyphens and spaces.
"""

from __future__ import annotations

from protocol.errors import LocalError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_VALUES = {sign: value for value, sign in enumerate(ALPHABET)} | {"O": 0, "I": 1, "L": 1}
_SKIPPED = frozenset("- ")


def encode(data: bytes) -> str:
    """The letters of some bytes: 5 bits each, the highest first, zero bits to fill the last one."""
    count = (len(data) * 8 + 4) // 5
    bits = int.from_bytes(data, "big") << (count * 5 - len(data) * 8)
    return "".join(ALPHABET[bits >> 5 * place & 31] for place in reversed(range(count)))


def decode(text: str, length: int) -> bytes:
    """The ``length`` bytes of a text; raises LocalError for other letters or another length."""
    values = [_value(sign) for sign in text.upper() if sign not in _SKIPPED]
    spare = len(values) * 5 - length * 8
    if not 0 <= spare < 5:
        raise LocalError(f"that has {len(values)} letters and should have {(length * 8 + 4) // 5}")
    bits = 0
    for value in values:
        bits = bits << 5 | value
    if bits & (1 << spare) - 1:
        raise LocalError("that is no code: its last letter cannot be right")
    return (bits >> spare).to_bytes(length, "big")


def _value(sign: str) -> int:
    value = _VALUES.get(sign)
    if value is None:
        raise LocalError(f"the letter {sign!r} is in no code")
    return value
