"""TLS with a throw-away certificate: secret from bystanders, and useless to a man in the middle."""

from __future__ import annotations

import hashlib
import os
import ssl
import stat
import tempfile
from pathlib import Path

import pytest
import trio
import trio.testing

from p2p import identity, tls
from p2p.endpoint import Endpoint
from p2p.frames import LinkDown
from p2p.link import Link
from p2p.transport import Address, Connection, TcpTransport
from protocol.errors import PeerFault

LOOPBACK = "127.0.0.1"


@pytest.mark.trio
async def test_both_sides_know_the_hash_of_the_certificate() -> None:
    """The dialler takes it from the wire; and it is TLS 1.3 that they speak."""
    server = tls.server_side()
    one, other = trio.testing.memory_stream_pair()
    wrapped = server.wrap(other)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wrapped.do_handshake)
        client, seen = await tls.wrap_client(one, tls.client_context())
    assert seen == server.certificate_hash
    assert len(seen) == 32
    assert client.version() == wrapped.version() == "TLSv1.3"


@pytest.mark.trio
async def test_the_hash_is_that_of_the_certificate_in_der() -> None:
    """SHA-256, so that another program can compute it too."""
    server = tls.server_side()
    one, other = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.wrap(other).do_handshake)
        client, _ = await tls.wrap_client(one, tls.client_context())
    certificate = client.getpeercert(binary_form=True)
    assert hashlib.sha256(certificate).digest() == server.certificate_hash


def test_every_run_has_a_certificate_of_its_own() -> None:
    """Nothing ties two runs together."""
    assert tls.server_side().certificate_hash != tls.server_side().certificate_hash


def test_the_file_that_ssl_wants_is_private_and_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It exists for as long as the loading takes."""
    modes: list[int] = []

    load = ssl.SSLContext.load_cert_chain

    def watched(self: ssl.SSLContext, certfile: str) -> None:
        modes.append(stat.S_IMODE(os.stat(certfile).st_mode))
        assert Path(certfile).parent == tmp_path
        load(self, certfile)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watched)
    tls.server_side()
    assert len(modes) == 1
    if os.name == "posix":
        assert modes == [0o600]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.trio
async def test_older_versions_of_tls_are_refused() -> None:
    """A dialler that knows TLS 1.2 at most does not get in."""
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname = False
    old.verify_mode = ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    one, other = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(refuses, tls.server_side().wrap(other))
        with pytest.raises(LinkDown, match=r"does not speak TLS 1\.3"):
            await tls.wrap_client(one, old)


async def refuses(stream: trio.SSLStream[trio.abc.Stream]) -> None:
    with pytest.raises(trio.BrokenResourceError):
        await stream.do_handshake()
    await trio.aclose_forcefully(stream)


@pytest.mark.trio
@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(2000)])
async def test_what_speaks_no_tls_is_told(answer: bytes) -> None:
    """A web server at the port of an old invite code, for instance."""
    one, other = trio.testing.memory_stream_pair()
    await other.send_all(answer)
    await other.send_eof()
    with pytest.raises(LinkDown, match=r"does not speak TLS 1\.3"):
        await tls.wrap_client(one, tls.client_context())


@pytest.mark.trio
async def test_a_man_in_the_middle_fails_on_both_sides() -> None:
    """He ends both TLS legs, sees all and changes nothing; still both sides find him out."""
    alice, bob = identity.make(), identity.make()
    found: list[str] = []
    reported = trio.Event()
    relayed: list[bytes] = []
    mallory = TcpTransport(LOOPBACK)

    async def never(link: Link) -> None:
        raise AssertionError("the listener let somebody in")

    def report(address: Address, trouble: PeerFault | LinkDown) -> None:
        found.append(getattr(trouble, "code", str(trouble)))
        reported.set()

    async with trio.open_nursery() as nursery:
        target = Endpoint(bob, TcpTransport(LOOPBACK), report=report)
        port = await nursery.start(target.serve, never)

        async def relay(near: Connection) -> None:
            far = await mallory.dial(Address(LOOPBACK, port))
            async with far.stream, trio.open_nursery() as legs:
                legs.start_soon(copy, near.stream, far.stream, relayed)
                legs.start_soon(copy, far.stream, near.stream, relayed)

        middle = await nursery.start(mallory.listen, relay)
        with pytest.raises(PeerFault) as fault:
            await Endpoint(alice, TcpTransport(LOOPBACK)).dial(
                [Address(LOOPBACK, middle)], expected=bob.key
            )
        assert fault.value.code == "auth.signature"
        with trio.fail_after(5):
            await reported.wait()
        nursery.cancel_scope.cancel()
    assert found == ["auth.signature"]
    # He really sat there: both HELLOs and both proofs went through his hands in the clear.
    assert alice.key in b"".join(relayed)
    assert bob.key in b"".join(relayed)


async def copy(source: trio.abc.Stream, sink: trio.abc.Stream, seen: list[bytes]) -> None:
    try:
        async for data in source:
            seen.append(bytes(data))
            await sink.send_all(data)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    finally:
        with trio.move_on_after(1, shield=True):
            await sink.aclose()
