"""HELLO and AUTH over plain memory: who may come in, who may not, and what each side is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
import trio
import trio.testing

from p2p import identity
from p2p.frames import FrameStream, LinkDown
from p2p.handshake import HELLO_LIMIT, Hello, read_hello, shake_hands
from protocol.errors import PeerFault
from protocol.signing import sign
from protocol.wire import Value, pack

HASH = bytes(range(32))
ALICE = identity.make(b"alice".ljust(32))
BOB = identity.make(b"bob".ljust(32))
EVE = identity.make(b"eve".ljust(32))


@dataclass
class Ends:
    """What each side made of it: a HELLO or the code of the fault."""

    dialler: Hello | str | None = None
    listener: Hello | str | None = None
    streams: tuple[FrameStream, ...] = field(default=())


async def meet(
    dialler: identity.Identity = ALICE,
    listener: identity.Identity = BOB,
    expected: bytes | None = None,
    hashes: tuple[bytes, bytes] = (HASH, HASH),
) -> Ends:
    one, other = trio.testing.memory_stream_pair()
    ends = Ends(streams=(FrameStream(one), FrameStream(other)))

    async def dial() -> None:
        ends.dialler = await outcome(
            ends.streams[0],
            lambda frames: shake_hands(
                frames, dialler, dialled=True, certificate_hash=hashes[0], expected=expected
            ),
        )

    async def listen() -> None:
        ends.listener = await outcome(
            ends.streams[1],
            lambda frames: shake_hands(frames, listener, dialled=False, certificate_hash=hashes[1]),
        )

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(dial)
            nursery.start_soon(listen)
    return ends


async def outcome(
    frames: FrameStream, shake: Callable[[FrameStream], Awaitable[Hello]]
) -> Hello | str:
    try:
        return await shake(frames)
    except PeerFault as fault:
        await frames.aclose()
        return fault.code
    except LinkDown:
        await frames.aclose()
        return "down"


async def against(script: Callable[[FrameStream], Awaitable[None]], *, dialled: bool) -> str:
    """The code that Alice ends with when the other side follows a script."""
    one, other = trio.testing.memory_stream_pair()
    result: list[str] = []

    async def alice() -> None:
        ended = await outcome(
            FrameStream(one),
            lambda frames: shake_hands(frames, ALICE, dialled=dialled, certificate_hash=HASH),
        )
        result.append(ended if isinstance(ended, str) else "in")

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(alice)
            frames = FrameStream(other)
            await script(frames)
            await other.send_eof()
            async for _ in other:  # reads on, as a kernel would, so that it is never a lost link
                pass
    return result[0]


def says(*values: Value) -> Callable[[FrameStream], Awaitable[None]]:
    async def script(frames: FrameStream) -> None:
        for value in values:
            await frames.send(value)

    return script


@pytest.mark.trio
async def test_each_side_learns_the_others_key() -> None:
    """And what the other side runs."""
    ends = await meet(expected=BOB.key)
    assert isinstance(ends.dialler, Hello)
    assert isinstance(ends.listener, Hello)
    assert (ends.dialler.key, ends.listener.key) == (BOB.key, ALICE.key)
    assert ends.dialler.software.startswith("facedown ")
    assert ends.dialler.nonce != ends.listener.nonce


@pytest.mark.trio
async def test_the_stream_carries_values_afterwards() -> None:
    """Nothing of the handshake is left in it."""
    ends = await meet()
    await ends.streams[0].send("first")
    assert await ends.streams[1].receive() == "first"


@pytest.mark.trio
async def test_a_dialler_refuses_somebody_else_than_the_expected() -> None:
    """The listener only sees the link close: it has nothing to learn about who was meant."""
    ends = await meet(expected=EVE.key)
    assert (ends.dialler, ends.listener) == ("auth.key", "down")


@pytest.mark.trio
async def test_a_link_to_ourselves_is_refused() -> None:
    """On both sides."""
    ends = await meet(listener=ALICE)
    assert (ends.dialler, ends.listener) == ("auth.self", "auth.self")


@pytest.mark.trio
async def test_two_certificates_are_refused_on_both_sides() -> None:
    """That is what a man in the middle looks like."""
    ends = await meet(hashes=(HASH, bytes(32)))
    assert (ends.dialler, ends.listener) == ("auth.signature", "auth.signature")


@pytest.mark.trio
@pytest.mark.parametrize("dialled", [True, False])
async def test_our_own_hello_sent_back_is_refused(dialled: bool) -> None:
    """A mirror has our key and can never prove it."""

    async def mirror(frames: FrameStream) -> None:
        if dialled:
            await frames.send_packed(await frames.receive_packed())
        else:
            await frames.send(hello_of(ALICE))

    assert await against(mirror, dialled=dialled) == "auth.self"


def hello_of(who: identity.Identity, **changes: Value) -> tuple[Value, ...]:
    parts: dict[str, Value] = {
        "version": 1,
        "key": who.key,
        "nonce": bytes(32),
        "software": "other 2.0",
    }
    return tuple((parts | changes).values())


@pytest.mark.trio
@pytest.mark.parametrize("dialled", [True, False])
async def test_another_version_is_told_by_both_numbers(dialled: bool) -> None:
    """Its HELLO may look otherwise beyond the version."""
    assert await against(says((2, "whatever it has then")), dialled=dialled) == "version"
    with pytest.raises(PeerFault, match=r"version 2 .* version 1"):
        read_hello(pack((2,)))


@pytest.mark.trio
async def test_a_listener_of_another_version_is_answered_before_it_is_refused() -> None:
    """So that its own program can tell what is wrong."""
    heard: list[bytes] = []

    async def future(frames: FrameStream) -> None:
        await frames.send((2,))
        heard.append(await frames.receive_packed())

    assert await against(future, dialled=False) == "version"
    assert read_hello(heard[0]).key == ALICE.key


@pytest.mark.trio
@pytest.mark.parametrize("dialled", [True, False])
@pytest.mark.parametrize(
    ("value", "code"),
    [
        pytest.param(7, "encoding", id="no array"),
        pytest.param((), "encoding", id="empty"),
        pytest.param(("1",), "encoding", id="version as text"),
        pytest.param(hello_of(BOB)[:3], "encoding", id="too short"),
        pytest.param((*hello_of(BOB), 1), "encoding", id="too long"),
        pytest.param(hello_of(BOB, key=BOB.key[:31]), "encoding", id="short key"),
        pytest.param(hello_of(BOB, key="k" * 32), "encoding", id="key as text"),
        pytest.param(hello_of(BOB, key=bytes(32)), "key.identity", id="small order"),
        pytest.param(hello_of(BOB, key=b"\xff" * 32), "key.identity", id="not canonical"),
        pytest.param(hello_of(BOB, nonce=bytes(31)), "encoding", id="short nonce"),
        pytest.param(hello_of(BOB, software=""), "encoding", id="no software"),
        pytest.param(hello_of(BOB, software="x" * 33), "encoding", id="long software"),
        pytest.param(hello_of(BOB, software="a\x1b[31m"), "encoding", id="control characters"),
        pytest.param(hello_of(BOB, software="a\u202e"), "encoding", id="turned writing"),
        pytest.param(hello_of(BOB, software="x" * 500), "frame", id="too many bytes"),
    ],
)
async def test_a_bad_hello_is_refused(value: Value, code: str, dialled: bool) -> None:
    """With its code, on whichever side it arrives."""
    assert await against(says(value), dialled=dialled) == code


@pytest.mark.trio
@pytest.mark.parametrize("dialled", [True, False])
@pytest.mark.parametrize(
    ("proof", "code"),
    [
        pytest.param(bytes(64), "auth.signature", id="zeros"),
        pytest.param(sign(BOB.signing_key, "auth", b""), "auth.signature", id="of nothing"),
        pytest.param(bytes(63), "encoding", id="short"),
        pytest.param((bytes(64),), "encoding", id="wrapped"),
        pytest.param("x" * 64, "encoding", id="text"),
        pytest.param(bytes(HELLO_LIMIT), "frame", id="too many bytes"),
    ],
)
async def test_a_bad_proof_is_refused(proof: Value, code: str, dialled: bool) -> None:
    """A HELLO alone opens nothing."""
    assert await against(says(hello_of(BOB), proof), dialled=dialled) == code


@pytest.mark.trio
async def test_a_proof_of_the_other_role_is_refused() -> None:
    """A dialler's signature sent back to it does not serve as the listener's."""

    async def script(frames: FrameStream) -> None:
        await frames.receive_packed()
        await frames.send(hello_of(BOB))
        await frames.send_packed(await frames.receive_packed())

    assert await against(script, dialled=True) == "auth.signature"


@pytest.mark.trio
async def test_a_proof_for_another_meeting_is_refused() -> None:
    """Every nonce is fresh, so what was recorded once opens nothing again."""
    recorded: list[bytes] = []
    one, other = trio.testing.memory_stream_pair()

    async def bob() -> None:
        await shake_hands(FrameStream(other), BOB, dialled=False, certificate_hash=HASH)

    class Recorder(FrameStream):
        async def receive_packed(self) -> bytes:
            recorded.append(await super().receive_packed())
            return recorded[-1]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(bob)
        await shake_hands(Recorder(one), ALICE, dialled=True, certificate_hash=HASH)

    async def replay(frames: FrameStream) -> None:
        for payload in recorded:
            await frames.send_packed(payload)

    assert len(recorded) == 2
    assert await against(replay, dialled=True) == "auth.signature"


@pytest.mark.trio
@pytest.mark.parametrize("dialled", [True, False])
@pytest.mark.parametrize("said", [(), (hello_of(BOB),)])
async def test_an_early_goodbye_is_no_fault(said: tuple[Value, ...], dialled: bool) -> None:
    """The other side may refuse us; then the link is just down."""
    assert await against(says(*said), dialled=dialled) == "down"


def test_before_auth_a_peer_may_send_1_kib() -> None:
    """Two frames with their headers."""
    assert 2 * (HELLO_LIMIT + 4) == 1024


@pytest.mark.trio
async def test_the_handshake_is_pinned_byte_for_byte() -> None:
    """What another program must send and sign, SPEC 6.3."""
    sent: list[bytes] = []
    one, other = trio.testing.memory_stream_pair()

    class Recorder(FrameStream):
        async def send_packed(self, payload: bytes) -> None:
            sent.append(payload)
            await super().send_packed(payload)

    async def bob() -> None:
        await shake_hands(
            FrameStream(other),
            BOB,
            dialled=False,
            certificate_hash=HASH,
            entropy=lambda count: b"\x02" * count,
        )

    async with trio.open_nursery() as nursery:
        nursery.start_soon(bob)
        theirs = await shake_hands(
            Recorder(one),
            ALICE,
            dialled=True,
            certificate_hash=HASH,
            entropy=lambda count: b"\x01" * count,
        )
    hello = b"\x94\x01\xc4\x20" + ALICE.key + b"\xc4\x20" + b"\x01" * 32 + b"\xaefacedown 0.1.0"
    assert sent[0] == hello
    transcript = (
        b"\x94\xa7dialler\xc4\x20" + HASH + b"\xc4\x55" + hello + b"\xc4\x55" + theirs.packed()
    )
    message = b"facedown/1/sign/auth\x00" + transcript
    assert sent[1] == b"\xc4\x40" + ALICE.signing_key.sign(message)
