"""Frames: whole values or a clear end, whatever pieces the bytes come in."""

from __future__ import annotations

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from p2p.frames import FRAME_LIMIT, FrameStream, LinkDown
from protocol.errors import LocalError, PeerFault
from protocol.wire import Value, pack

VALUES: list[Value] = [0, 2**63 - 1, b"", b"\x00" * 300, "name", (), (1, b"two", ("three", (4,)))]


def pair() -> tuple[FrameStream, FrameStream]:
    one, other = trio.testing.memory_stream_pair()
    return FrameStream(one), FrameStream(other)


def framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "big") + payload


@pytest.mark.trio
async def test_values_arrive_as_they_were_sent() -> None:
    """In order, and of the same types."""
    one, other = pair()
    for value in VALUES:
        await one.send(value)
    assert [await other.receive() for _ in VALUES] == VALUES


@pytest.mark.trio
@given(st.lists(st.integers(1, 9), min_size=1, max_size=40))
async def test_pieces_of_any_size_make_the_same_values(sizes: list[int]) -> None:
    """Down to single bytes."""
    one, other = trio.testing.memory_stream_pair()
    frames = FrameStream(other)
    data = b"".join(framed(pack(value)) for value in ((1, b"two"), "three", ()))

    async def trickle() -> None:
        left, turn = data, 0
        while left:
            size = sizes[turn % len(sizes)]
            await one.send_all(left[:size])
            left, turn = left[size:], turn + 1
        await one.aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(trickle)
        assert [await frames.receive() for _ in range(3)] == [(1, b"two"), "three", ()]
        with pytest.raises(LinkDown, match="by the other side"):
            await frames.receive()


@pytest.mark.trio
@pytest.mark.parametrize("cut", range(1, 10))
async def test_an_end_inside_a_frame_is_told_apart(cut: int) -> None:
    """It is no value, and no traceback."""
    one, other = trio.testing.memory_stream_pair()
    await one.send_all(framed(pack(b"12345"))[:cut])
    await one.aclose()
    with pytest.raises(LinkDown, match="in the middle of a frame"):
        await FrameStream(other).receive()


@pytest.mark.trio
@pytest.mark.parametrize("length", [0, 101, 2**31, 2**32 - 1])
async def test_a_length_out_of_bounds_is_refused_before_the_rest_is_read(length: int) -> None:
    """Four bytes are enough to refuse; nothing is reserved for what they promise."""
    one, other = trio.testing.memory_stream_pair()
    await one.send_all(length.to_bytes(4, "big"))
    with pytest.raises(PeerFault) as fault:
        await FrameStream(other, limit=100).receive()
    assert fault.value.code == "frame"


@pytest.mark.trio
async def test_the_limit_follows_the_state_of_the_link() -> None:
    """What was too long before AUTH is welcome after it."""
    one, other = pair()
    other.limit = 10
    await one.send(b"x" * 8)
    assert await other.receive() == b"x" * 8
    other.limit = 2000
    await one.send(b"x" * 1000)
    assert await other.receive() == b"x" * 1000


@pytest.mark.trio
@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"\xc0", id="null"),
        pytest.param(b"\xc3", id="true"),
        pytest.param(b"\xcc\x01", id="an integer that is longer than needed"),
        pytest.param(b"\x01\x02", id="two objects"),
        pytest.param(b"\x92\x01", id="half an object"),
        pytest.param(b"\x81\xa1k\x01", id="a map"),
        pytest.param(b"\x91" * 2000 + b"\x01", id="nested"),
    ],
)
async def test_one_canonical_object_is_all_a_frame_may_hold(payload: bytes) -> None:
    """Everything else is the peer's fault."""
    one, other = trio.testing.memory_stream_pair()
    await one.send_all(framed(payload))
    with pytest.raises(PeerFault) as fault:
        await FrameStream(other).receive()
    assert fault.value.code == "encoding"


@pytest.mark.trio
async def test_frames_of_several_senders_do_not_mix() -> None:
    """Even when the stream takes bytes one by one."""
    one, other = trio.testing.lockstep_stream_pair()
    sender, receiver = FrameStream(one), FrameStream(other)
    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(sender.send, (number, bytes([number]) * 50))
        got = [await receiver.receive() for _ in range(8)]
    assert sorted(got) == [(number, bytes([number]) * 50) for number in range(8)]


@pytest.mark.trio
async def test_a_send_that_was_cut_short_ends_all_sending() -> None:
    """Half a frame can never be mended, so nothing may follow it."""
    one, other = trio.testing.lockstep_stream_pair()
    sender = FrameStream(one)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other.receive_some, 3)
        with trio.move_on_after(0.05) as scope:
            await sender.send(b"a long value")
    assert scope.cancelled_caught
    with pytest.raises(LinkDown, match="broke while"):
        await sender.send(1)


@pytest.mark.trio
async def test_a_receive_that_was_cancelled_loses_nothing() -> None:
    """What had arrived is there for the next one."""
    one, other = trio.testing.memory_stream_pair()
    receiver = FrameStream(other)
    data = framed(pack("hello"))
    await one.send_all(data[:6])
    with trio.move_on_after(0.05) as scope:
        await receiver.receive()
    assert scope.cancelled_caught
    await one.send_all(data[6:])
    assert await receiver.receive() == "hello"


@pytest.mark.trio
async def test_what_is_closed_says_so_to_both_tasks() -> None:
    """LinkDown, from sending and from receiving."""
    one, other = pair()
    await one.aclose()
    await one.aclose()
    with pytest.raises(LinkDown):
        await one.send(1)
    with pytest.raises(LinkDown):
        await one.receive()
    with pytest.raises(LinkDown):
        await other.receive()
    with pytest.raises(LinkDown):
        await other.send(1)


@pytest.mark.trio
async def test_our_own_mistakes_are_local_errors() -> None:
    """What is no value, and what nobody would accept."""
    one, _ = pair()
    with pytest.raises(LocalError):
        await one.send(-1)
    with pytest.raises(LocalError, match="at most"):
        await one.send(b"x" * FRAME_LIMIT)
