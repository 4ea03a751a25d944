"""Ed25519 signatures, each under a label of its own: none can stand for another. SPEC 2.5."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES = 32
SIGNATURE_BYTES = 64

SigningLabel: TypeAlias = Literal["agreement", "lobby", "envelope", "vote", "auth", "chat"]


def message(label: SigningLabel, body: bytes) -> bytes:
    """The bytes that are signed: the label, which holds no zero byte, a zero byte, the body."""
    return b"facedown/1/sign/" + label.encode() + b"\x00" + body


def sign(key: Ed25519PrivateKey, label: SigningLabel, body: bytes) -> bytes:
    """The 64-byte signature of a body under a label."""
    return key.sign(message(label, body))


def verified(public: bytes, label: SigningLabel, body: bytes, signature: bytes) -> bool:
    """Whether the signature is this key's. Identity keys are checked for form when they arrive."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message(label, body))
    except (InvalidSignature, ValueError):
        return False
    return True


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes of the public key."""
    return key.public_key().public_bytes_raw()
