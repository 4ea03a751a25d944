"""Who chooses the moves of a headless peer: a strategy, or another program by JSON lines."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from typing import Protocol

import trio

from engine import IllegalMove, Move, Plain, game
from protocol.errors import LocalError
from protocol.events import YourMove
from ui.lines import Lines
from ui.telling import ask

MOST_LINE = 64 * 1024
"""Bytes of one line; the longest move has under a hundred."""

Submit = Callable[[Move], Awaitable[None]]
"""Hands a move to the peer; raises LocalError with the reason if it is refused."""


class Chooser(Protocol):
    """Answers when this seat owes a choice."""

    async def asked(self, event: YourMove) -> None:
        """A choice is owed; returns when it has been seen to, or will be."""


class Strategist:
    """Plays by a strategy of the game."""

    def __init__(self, strategy: str, submit: Submit) -> None:
        self._strategy = strategy
        self._submit = submit

    async def asked(self, event: YourMove) -> None:
        """Computes the move away from the event loop and makes it."""
        rules = game(event.view.game)
        choose = rules.strategies[self._strategy]
        move = await trio.to_thread.run_sync(choose, event.view, secrets.randbelow)
        try:
            await self._submit(move)
        except LocalError as refused:
            if getattr(refused, "rule", None) != "turn":  # the clock was quicker
                raise


class Program:
    """Plays what another program says; what it says is judged by the own rules, never trusted."""

    def __init__(self, submit: Submit, lines: Lines) -> None:
        self._submit = submit
        self._lines = lines
        self._open: YourMove | None = None
        self._gone = False

    async def asked(self, event: YourMove) -> None:
        """Waits for the program; once that has gone the own program's late move is made."""
        self._open = event
        if self._gone:
            await self._late()

    async def said(self, line: bytes) -> None:
        """A line of the program: a move, or something that is refused and asked for again."""
        answered = self._open
        try:
            move = read_move(line)
            await self._submit(move)
        except IllegalMove as illegal:
            self._refuse(illegal.rule, illegal.text)
        except LocalError as refused:
            self._refuse(getattr(refused, "rule", "move"), str(refused))
        else:
            if self._open is answered:
                self._open = None

    async def ended(self) -> None:
        """The program has closed its end: from now on the late moves of the own program."""
        self._gone = True
        self._lines.emit("stdin_closed")
        await self._late()

    def _refuse(self, rule: str, reason: str) -> None:
        self._lines.emit("refused", rule=rule, reason=reason)
        if self._open is not None and rule != "turn":  # with "turn" there is nothing to ask
            ask(self._lines, self._open)

    async def _late(self) -> None:
        event, self._open = self._open, None
        if event is None:
            return
        try:
            await self._submit(game(event.view.game).late(event.view))
        except LocalError as refused:
            if getattr(refused, "rule", None) != "turn":
                raise


def read_move(line: bytes) -> Move:
    """The move of a line ``{"move": ["up", [0, 1, 2], ...]}``; raises IllegalMove ``line``."""
    if len(line) > MOST_LINE:
        raise IllegalMove("line", f"a line of more than {MOST_LINE} bytes")
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise IllegalMove("line", "a line that is no JSON") from None
    if not isinstance(said, dict) or set(said) != {"move"}:
        raise IllegalMove("line", 'a line must be an object with "move" and nothing else')
    move = said["move"]
    if not isinstance(move, list) or not move or not isinstance(move[0], str):
        raise IllegalMove("line", 'a move is an array that opens with its kind: ["up", ...]')
    try:
        return tuple(_plain(item) for item in move)
    except RecursionError:
        raise IllegalMove("line", "a move that is nested too deep") from None


def _plain(value: object) -> Plain:
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, str) or type(value) is int:
        return value
    raise IllegalMove("line", "a move holds only whole numbers, words and arrays")
