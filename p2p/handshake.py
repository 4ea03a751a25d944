"""HELLO and AUTH: both sides prove their keys to each other, over whatever carries the bytes.

HELLO is (version, identity key, nonce, software), AUTH a signature over the role, the hash of the
listener's TLS certificate and both HELLOs. A man in the middle must show a certificate of his own,
so what one side signs is not what the other checks. SPEC 11.3.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from p2p.frames import FrameStream
from p2p.identity import Identity
from protocol.agreement import VERSION
from protocol.errors import PeerFault
from protocol.identity_keys import check_identity_key
from protocol.signing import KEY_BYTES, SIGNATURE_BYTES, sign, verified
from protocol.wire import Value, fields, octets, pack, text, unpack

HELLO_LIMIT = 508
"""Bytes of a frame before AUTH: two of them, with their headers, make the 1 KiB that is allowed."""

NONCE_BYTES = 32
MAX_SOFTWARE = 32
"""Bytes of the software's name and version."""

SOFTWARE = "facedown 0.1.0"

_ROLES = ("listener", "dialler")


@dataclass(frozen=True, slots=True)
class Hello:
    """What each side says of itself; proved by nothing until AUTH."""

    key: bytes
    nonce: bytes
    software: str = SOFTWARE
    version: int = VERSION

    def packed(self) -> bytes:
        """The bytes that are sent, and signed by both."""
        return pack((self.version, self.key, self.nonce, self.software))


async def shake_hands(
    frames: FrameStream,
    identity: Identity,
    *,
    dialled: bool,
    certificate_hash: bytes,
    expected: bytes | None = None,
    entropy: Callable[[int], bytes] = secrets.token_bytes,
) -> Hello:
    """Prove our key and have the other side prove its own; the other side's HELLO.

    ``dialled``: this side dialled. ``certificate_hash``: SHA-256 of the listener's certificate as
    this side sees it, 32 bytes; a fixed value where there is no TLS. ``expected``: the only key
    that is accepted. Takes as long as the peer likes: give it a timeout.

    Raises PeerFault ``version``, ``auth.self``, ``auth.key``, ``auth.signature``, ``key.identity``,
    ``frame`` or ``encoding``, and LinkDown if the other side closes (because it refuses us).
    """
    frames.limit = HELLO_LIMIT
    ours = Hello(identity.key, entropy(NONCE_BYTES)).packed()
    # A HELLO is answered before it is judged, so that both sides learn why it ends here.
    if dialled:
        await frames.send_packed(ours)
        theirs = await frames.receive_packed()
    else:
        theirs = await frames.receive_packed()
        await frames.send_packed(ours)
    hello = read_hello(theirs)
    if hello.key == identity.key:
        raise PeerFault("auth.self", "the other side has our own key: it is ourselves, or a copy")
    if expected is not None and hello.key != expected:
        raise PeerFault("auth.key", "somebody else answers there than the one who was expected")

    def transcript(of_dialler: bool) -> bytes:
        hellos = (ours, theirs) if dialled else (theirs, ours)
        return pack((_ROLES[of_dialler], certificate_hash, *hellos))

    signature = sign(identity.signing_key, "auth", transcript(dialled))
    if dialled:
        await frames.send_packed(pack(signature))
        answer = await frames.receive_packed()
    else:
        answer = await frames.receive_packed()
        await frames.send_packed(pack(signature))
    proof = octets(unpack(answer, HELLO_LIMIT), SIGNATURE_BYTES, "a signature of AUTH")
    if not verified(hello.key, "auth", transcript(not dialled), proof):
        raise PeerFault(
            "auth.signature",
            "the other side did not prove its key: somebody may stand in the middle",
        )
    return hello


def read_hello(data: bytes) -> Hello:
    """A HELLO, checked in full; raises PeerFault ``version``, ``key.identity`` or ``encoding``.

    In every version a HELLO is an array that starts with the version, and that is looked at first.
    """
    value = unpack(data, HELLO_LIMIT)
    version = _version(value)
    if version != VERSION:
        raise PeerFault(
            "version",
            f"the other side speaks version {version} of the protocol and this program "
            f"version {VERSION}: one of the two needs an update",
        )
    _, key, nonce, software = fields(value, 4, "a HELLO")
    return Hello(
        check_identity_key(octets(key, KEY_BYTES, "an identity key")),
        octets(nonce, NONCE_BYTES, "a nonce"),
        text(software, MAX_SOFTWARE, "the software's name"),
    )


def _version(value: Value) -> int:
    if not isinstance(value, tuple) or not value or not isinstance(value[0], int):
        raise PeerFault("encoding", "a HELLO must be an array that starts with the version")
    return value[0]
