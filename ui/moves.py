"""Who chooses the moves of a headless peer: a strategy, or another program by JSON lines."""

from __future__ import annotations

import json
import secrets
from typing import Protocol

import trio

from engine import IllegalMove, Move, Plain, game
from protocol.agreement import MAX_SEATS
from protocol.entries import SIT_CHOICES
from protocol.errors import LocalError
from protocol.events import YourMove
from ui.catalogue import find_strategy
from ui.lines import Lines
from ui.peerlike import SeatLike
from ui.telling import ask

VOTE_SECONDS = 1.0
"""So long a move waits that was refused because of a vote about a silent seat, then again."""

MOST_LINE = 64 * 1024
"""Bytes of one line; the longest move has under a hundred."""


KEYS = frozenset({"move", "sit", "miss", "leave", "go_on"})
"""What a line may say."""


class Chooser(Protocol):
    """Answers when this seat owes a choice. ``alone``: nobody else can speak for this seat."""

    alone: bool

    async def asked(self, event: YourMove) -> None:
        """A choice is owed; returns when it has been seen to, or will be."""


class Strategist:
    """Plays by a strategy of the game; None: by its usual one."""

    def __init__(self, strategy: str | None, seat: SeatLike) -> None:
        self.alone = True
        self._strategy = strategy
        self._seat = seat
        self._open: YourMove | None = None

    async def asked(self, event: YourMove) -> None:
        """Computes the move away from the event loop and makes it.

        Raises Exit if the game that is played has no strategy of this name.
        """
        self._open = event
        rules = game(event.view.game)
        choose = rules.strategies[find_strategy(rules, self._strategy)]
        move = await trio.to_thread.run_sync(choose, event.view, secrets.randbelow)
        while self._open is event:  # else the table went back meanwhile, and has asked anew
            try:
                await self._seat.move(move)
            except LocalError as refused:
                rule = getattr(refused, "rule", None)
                if rule == "vote":
                    await trio.sleep(VOTE_SECONDS)
                    continue
                if rule != "turn":  # the clock was quicker
                    raise
            return


class Program:
    """Plays what another program says; what it says is judged by the own rules, never trusted.

    ``sitting``: what it has said last about the hands to come. ``alone``: it has closed its end.
    """

    def __init__(self, seat: SeatLike, lines: Lines) -> None:
        self.sitting = "in"
        self.alone = False
        self._seat = seat
        self._lines = lines
        self._open: YourMove | None = None

    async def asked(self, event: YourMove) -> None:
        """Waits for the program; once that has gone the own program's late move is made."""
        self._open = event
        if self.alone:
            await self._late()

    async def said(self, line: bytes) -> None:
        """A line of the program: taken, or refused; an open choice is asked for again then."""
        try:
            key, said = read_line(line)
            if key == "sit":
                await self._sits(read_sit(said))
            elif key == "miss":
                await self._misses(read_seat(said))
            elif key == "leave":
                await self._leaves(said)
            elif key == "go_on":
                await self._goes_on(said)
            else:
                await self._moves(read_move(said))
        except IllegalMove as illegal:
            self._refuse(illegal.rule, illegal.text)

    async def _moves(self, move: Move) -> None:
        answered = self._open
        try:
            await self._seat.move(move)
        except LocalError as refused:
            rule = getattr(refused, "rule", "move")
            if rule == "vote":
                self._lines.emit("refused", rule=rule, reason=str(refused))
                await trio.sleep(VOTE_SECONDS)
                if self._open is answered and answered is not None:
                    ask(self._lines, answered)
            else:
                self._refuse(rule, str(refused))
        else:
            if self._open is answered:
                self._open = None

    async def _sits(self, choice: str) -> None:
        try:
            await self._seat.sit(choice)
        except LocalError as refused:
            self._refuse("sit", str(refused))
        else:
            self.sitting = choice
            self._lines.emit("sit", choice=choice)

    async def _misses(self, seat: int) -> None:
        try:
            await self._seat.miss(seat)
        except LocalError as refused:
            self._refuse("miss", str(refused))
        else:
            self._lines.emit("miss", seat=seat)

    async def _leaves(self, said: object) -> None:
        if said != "now":
            raise IllegalMove("leave", '"leave" is followed by "now"')
        try:
            await self._seat.depart()
        except LocalError as refused:
            self._refuse("leave", str(refused))
        else:
            self.sitting = "leave"

    async def _goes_on(self, said: object) -> None:
        if said is not True:
            raise IllegalMove("go_on", '"go_on" is followed by true')
        try:
            await self._seat.go_on()
        except LocalError as refused:
            self._refuse("go_on", str(refused))
        else:
            self._lines.emit("go_on")

    async def ended(self) -> None:
        """The program has closed its end: from now on the late moves of the own program."""
        self.alone = True
        self._lines.emit("stdin_closed")
        await self._late()

    def _refuse(self, rule: str, reason: str) -> None:
        self._lines.emit("refused", rule=rule, reason=reason)
        if self._open is not None and rule != "turn":  # with "turn" there is nothing to ask
            ask(self._lines, self._open)

    async def _late(self) -> None:
        if self._open is not None:
            self._open = None
            await self._seat.late()


def read_line(line: bytes) -> tuple[str, object]:
    """A line's one key, one of ``KEYS``, and what it says; IllegalMove ``line``."""
    if len(line) > MOST_LINE:
        raise IllegalMove("line", f"a line of more than {MOST_LINE} bytes")
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise IllegalMove("line", "a line that is no JSON") from None
    if not isinstance(said, dict) or len(said) != 1 or not set(said) <= KEYS:
        names = ", ".join(sorted(KEYS))
        text = f"a line must be an object with one key, one of {names}"
        raise IllegalMove("line", text)
    ((key, what),) = said.items()
    return key, what


def read_move(said: object) -> Move:
    """The move of a line ``{"move": ["up", [0, 1, 2], ...]}``; raises IllegalMove ``line``."""
    if not isinstance(said, list) or not said or not isinstance(said[0], str):
        text = 'a move is an array that opens with its kind, a word: ["fold"], ["up", ...]'
        raise IllegalMove("line", text)
    try:
        return tuple(_plain(item) for item in said)
    except RecursionError:
        raise IllegalMove("line", "a move that is nested too deep") from None


def read_sit(said: object) -> str:
    """The choice of a line ``{"sit": "out"}``; raises IllegalMove ``sit``."""
    if not isinstance(said, str) or said not in SIT_CHOICES:
        known = ", ".join(f'"{choice}"' for choice in SIT_CHOICES)
        raise IllegalMove("sit", f'"sit" is followed by one of {known}')
    return said


def read_seat(said: object) -> int:
    """The seat of a line ``{"miss": 2}``; raises IllegalMove ``miss``."""
    if type(said) is not int or not 0 <= said < MAX_SEATS:
        raise IllegalMove("miss", '"miss" is followed by the number of a seat')
    return said


def _plain(value: object) -> Plain:
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, str) or type(value) is int:
        return value
    raise IllegalMove("line", "a move holds only whole numbers, words and arrays")
