"""The form an identity key must have: one canonical encoding of a point that is worth signing for.

Two encodings of one point would be two people who are one; a point of small order signs
everything. Both are refused wherever a key arrives. SPEC 2.5, after RFC 8032 5.1.3.
"""

from __future__ import annotations

from protocol.errors import PeerFault

_KEY_BYTES = 32
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_Y_OF_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = frozenset({0, 1, _P - 1, _Y_OF_ORDER_8, _P - _Y_OF_ORDER_8})
"""The y of the eight points whose order divides 8."""


def check_identity_key(key: bytes) -> bytes:
    """The same 32 bytes, if they may stand for a person; raises PeerFault ``key.identity``.

    The variable time of the check is no leak: a public key is all it sees.
    """
    if len(key) != _KEY_BYTES:
        raise PeerFault("key.identity", f"an identity key has 32 bytes, not {len(key)}")
    y = int.from_bytes(key, "little") & (1 << 255) - 1
    if y >= _P:
        raise PeerFault("key.identity", "an identity key that is not encoded in the canonical way")
    if y in _SMALL_ORDER:
        raise PeerFault("key.identity", "an identity key of small order")
    if not _is_on_curve(y):
        raise PeerFault("key.identity", "an identity key that is no point of the curve")
    return key


def _is_on_curve(y: int) -> bool:
    """Whether x² = (y² - 1) / (d y² + 1) has a solution: the quotient is a square modulo p."""
    numerator = y * y - 1
    denominator = _D * y * y + 1
    # The quotient is a square exactly when the product is; this saves the inversion.
    return pow(numerator * denominator, (_P - 1) // 2, _P) == 1
