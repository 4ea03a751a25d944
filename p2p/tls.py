"""TLS 1.3 with a throw-away certificate: it keeps secrets from bystanders and proves nothing.

Who is at the other end is proved inside, by AUTH, which covers the hash of the certificate.
SPEC 11.3. What Python's ssl cannot do (an exporter, a callback for self-signed client
certificates) is not needed that way.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import ssl
import tempfile
from dataclasses import dataclass

import trio

from p2p.frames import LinkDown

_VALID = datetime.timedelta(days=3650)
_SKEW = datetime.timedelta(days=2)
"""Nobody checks the dates; they only must not trouble a TLS library whose clock is wrong."""


@dataclass(frozen=True, slots=True)
class ServerSide:
    """A listener's half of TLS: its context and the SHA-256 of its certificate (DER), 32 bytes."""

    context: ssl.SSLContext
    certificate_hash: bytes

    def wrap(self, stream: trio.abc.Stream) -> trio.SSLStream[trio.abc.Stream]:
        """The stream inside TLS. The handshake happens at the first read, within its timeout."""
        return trio.SSLStream(stream, self.context, server_side=True)


def server_side() -> ServerSide:
    """A new key and certificate, for one run of the program. Takes some milliseconds, blocking."""
    certificate, pem = _make_certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0  # no resumption, and no bytes from the server after its handshake
    _load(context, pem)
    return ServerSide(context, hashlib.sha256(certificate).digest())


def client_context() -> ssl.SSLContext:
    """A dialler's half: any certificate will do, its hash is what counts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def wrap_client(
    stream: trio.abc.Stream, context: ssl.SSLContext
) -> tuple[trio.SSLStream[trio.abc.Stream], bytes]:
    """The stream inside TLS, handshake done, and the SHA-256 of the listener's certificate.

    Takes as long as the peer likes: give it a timeout. Raises LinkDown if the other side closes or
    speaks no TLS 1.3. Owns the stream: it is closed when this raises.
    """
    wrapped = trio.SSLStream(stream, context)
    try:
        await wrapped.do_handshake()
        certificate: bytes | None = wrapped.getpeercert(binary_form=True)
        if not certificate:
            raise LinkDown("the other side showed no certificate")
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(wrapped)
        raise LinkDown("what answers there does not speak TLS 1.3") from error
    except BaseException:
        await trio.aclose_forcefully(wrapped)
        raise
    return wrapped, hashlib.sha256(certificate).digest()


def _make_certificate() -> tuple[bytes, bytes]:
    """A self-signed certificate in DER, and certificate and key in PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "facedown")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + _VALID)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.DER), certificate.public_bytes(Encoding.PEM) + private


def _load(context: ssl.SSLContext, pem: bytes) -> None:
    """Give certificate and key to the context, which takes them from a file only.

    The file is this user's alone (mkstemp makes it 0600) and gone when this returns.
    """
    descriptor, path = tempfile.mkstemp(prefix="facedown-", suffix=".pem")
    try:
        with open(descriptor, "wb") as file:
            file.write(pem)
        context.load_cert_chain(path)
    finally:
        os.unlink(path)
