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
    count = letters(len(data))
    bits = int.from_bytes(data, "big") << (count * 5 - len(data) * 8)
    return "".join(ALPHABET[bits >> 5 * place & 31] for place in reversed(range(count)))


def letters(length: int) -> int:
    """How many letters some bytes take."""
    return (length * 8 + 4) // 5


def decode(text: str, length: int) -> bytes:
    """The ``length`` bytes of a text; raises LocalError for other letters or another length."""
    values = [value(sign) for sign in text.upper() if sign not in _SKIPPED]
    if len(values) != letters(length):
        raise LocalError(f"that has {len(values)} letters and should have {letters(length)}")
    spare = len(values) * 5 - length * 8
    bits = 0
    for five in values:
        bits = bits << 5 | five
    if bits & (1 << spare) - 1:
        raise LocalError("that is no code: its last letter cannot be right")
    return (bits >> spare).to_bytes(length, "big")


def value(sign: str) -> int:
    """The five bits of a capital or digit; raises LocalError for all others."""
    found = _VALUES.get(sign)
    if found is None:
        raise LocalError(f"the letter {sign!r} is in no code")
    return found
