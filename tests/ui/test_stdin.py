"""Standard input comes in lines, whole or in pieces, and its end is noticed."""

from __future__ import annotations

import os

import trio

from ui import stdin


def read(*pieces: bytes, most: int = 100) -> list[bytes]:
    """The lines of what is written piece by piece."""

    async def main() -> list[bytes]:
        source, sink = os.pipe()
        found: list[bytes] = []
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(write, sink)
                async for line in stdin.lines(most, source):
                    found.append(line)
        finally:
            os.close(source)
        return found

    async def write(sink: int) -> None:
        for piece in pieces:
            await trio.to_thread.run_sync(os.write, sink, piece)
            await trio.sleep(0.01)
        os.close(sink)

    return trio.run(main)


def test_lines_come_whole_however_they_were_written() -> None:
    """Split anywhere; the last one needs no end."""
    assert read(b"one\ntw", b"o\n", b"th", b"ree") == [b"one", b"two", b"three"]


def test_empty_lines_are_left_out() -> None:
    """They say nothing."""
    assert read(b"\n \r\none\r\n\n") == [b"one\r"]


def test_a_line_that_is_too_long_is_cut_so_that_it_can_be_refused() -> None:
    """Only so much is kept, however it comes, and the next line is whole again."""
    assert read(b"x" * 50, b"x" * 50, b"x" * 50, b"\nshort\n", most=60) == [b"x" * 61, b"short"]
    assert read(b"x" * 5000 + b"\n" + b"y\n", most=60) == [b"x" * 61, b"y"]


def test_the_end_is_noticed() -> None:
    """``closed`` returns, whatever came before."""

    async def main() -> None:
        source, sink = os.pipe()
        os.write(sink, b"some words\n")
        os.close(sink)
        with trio.fail_after(5):
            await stdin.closed(source)
        os.close(source)

    trio.run(main)


def test_a_broken_input_counts_as_closed() -> None:
    """No such file: nobody will ever say anything."""

    async def main() -> None:
        source, sink = os.pipe()
        os.close(source)
        os.close(sink)
        with trio.fail_after(5):
            await stdin.closed(source)

    trio.run(main)


def test_waiting_can_be_given_up() -> None:
    """Nobody writes, and the program ends all the same."""

    async def main() -> None:
        source, sink = os.pipe()
        with trio.move_on_after(0.05) as scope:
            await stdin.closed(source)
        assert scope.cancelled_caught
        os.close(sink)  # lets the thread go
        await trio.sleep(0.05)
        os.close(source)

    trio.run(main)
