"""What a window may ask for. Every field is checked here; what a move means, the engine judges.

A command is an object with ``id`` (a number that the answer repeats), ``do`` (its name) and fields.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import trio

from engine import IllegalMove, Move, OptionError, complete, game, game_names
from p2p.invites import decode
from p2p.transport import read_address
from protocol.agreement import MAX_NAME, MAX_SEATS
from protocol.errors import LocalError, PeerFault
from protocol.wire import text
from ui.moves import read_move
from ui.page.advice import NoAdvice, suggest, weigh_cards, weigh_trays

if TYPE_CHECKING:
    from ui.page.room import Room

MOST_HANDS: Final = 2**31
"""A higher number is none of a hand."""

IDENTITY_HEX: Final = 64

FINDING_SECONDS: Final = 8.0
"""How long a table that was called out may take to be reached."""


class BadCommand(Exception):
    """A command that no page of ours would send, or that makes no sense now. ``rule``: its code."""

    def __init__(self, rule: str, text: str) -> None:
        super().__init__(text)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Command:
    """A command that has the right form."""

    number: int
    what: str
    fields: Mapping[str, object]

    def text(self, name: str, most: int = 600) -> str:
        """A field that must be a text."""
        value = self.fields.get(name)
        if not isinstance(value, str) or len(value) > most:
            raise BadCommand("page.field", f"{name} must be a text")
        return value

    def maybe(self, name: str) -> str | None:
        """A field that may be a text, or be missing."""
        return None if self.fields.get(name) is None else self.text(name)

    def number_in(self, name: str, least: int, most: int) -> int:
        """A field that must be a whole number within these limits."""
        value = self.fields.get(name)
        if type(value) is not int or not least <= value <= most:
            raise BadCommand("page.field", f"{name} must be a number from {least} to {most}")
        return value

    def flag(self, name: str) -> bool:
        """A field that must be true or false."""
        value = self.fields.get(name)
        if not isinstance(value, bool):
            raise BadCommand("page.field", f"{name} must be true or false")
        return value

    def identity(self, name: str, what: str) -> bytes:
        """A field that must be 32 bytes in hexadecimal."""
        value = self.text(name)
        try:
            identity = bytes.fromhex(value) if len(value) == IDENTITY_HEX else b""
        except ValueError:
            identity = b""
        if identity.hex() != value or not identity:
            raise BadCommand("page.field", f"{name} must be {what}")
        return identity

    def table(self) -> bytes:
        """The field ``table``, which must be the id of a table in hexadecimal."""
        return self.identity("table", "the id of a table")


def read(text: str) -> Command:
    """Reads a command; raises BadCommand."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise BadCommand("page.command", "a command that is no JSON") from None
    if not isinstance(found, dict) or type(found.get("id")) is not int:
        raise BadCommand("page.command", "a command is an object with a number")
    if not isinstance(found.get("do"), str):
        raise BadCommand("page.command", "a command says what to do")
    return Command(found["id"], found["do"], found)


async def carry_out(room: Room, command: Command) -> object:
    """Does what a command asks for; returns its value. Raises BadCommand and LocalError."""
    do = COMMANDS.get(command.what)
    if do is None:
        raise BadCommand("page.command", f"there is no command {command.what!r}")
    return await do(room, command)


# The lobby.


async def _open(room: Room, command: Command) -> None:
    name = command.text("game")
    if name not in game_names():
        raise BadCommand("page.field", f"there is no game {name!r}")
    found = game(name)
    options = command.fields.get("options")
    if not isinstance(options, dict):
        raise BadCommand("page.field", "options must be an object")
    try:
        complete(found.options, options)
    except OptionError as error:
        raise BadCommand("page.options", str(error)) from None
    seats = command.number_in("seats", min(found.seats), max(found.seats))
    invite = command.fields.get("invite") is True
    before, room.state.invite_only = room.state.invite_only, invite
    try:
        await room.peer.open_table(command.text("table"), name, options, seats, invite)
    except LocalError:
        room.state.invite_only = before  # that of the table that we wait at already
        raise


async def _join(room: Room, command: Command) -> None:
    """By ``table`` and the ``key`` of its opener, or by what was typed: address or invite code."""
    typed = command.maybe("typed")
    if typed is None:
        # Anybody can give a table the same name: the one that was clicked is meant.
        name, opener = command.text("table"), command.identity("key", "the key of an opener")
        # Who called it out may be gone by now; the window waits for the answer.
        with trio.move_on_after(FINDING_SECONDS) as looking:
            await room.peer.join(name, opener=opener)
        if looking.cancelled_caught:
            raise BadCommand("page.gone", "this table is not there any more")
    elif _is_address(typed):
        await room.peer.join(command.maybe("table"), read_address(typed))
    else:
        await room.peer.join(code=typed)


def _is_address(typed: str) -> bool:
    """Whether this looks like an address; if not, it should be an invite code."""
    return ":" in typed or "." in typed


async def _watch(room: Room, command: Command) -> None:
    """Looks on at a table that plays, found as for ``join``, or at an ``address`` or code."""
    typed = command.maybe("address")
    name = command.maybe("table")
    opener = command.identity("key", "the key of an opener") if typed is None else None
    address = None
    if typed is not None and _is_address(typed):
        address = read_address(typed)
    elif typed is not None:
        invite = decode(typed)
        if invite.token:
            raise BadCommand("page.invited", "a table that only codes open cannot be watched")
        address = invite.address
    with trio.move_on_after(FINDING_SECONDS) as looking:
        await room.peer.watch(name, address, opener=opener)
    if looking.cancelled_caught:
        raise BadCommand("page.gone", "this table is not there any more")


async def _go_on(room: Room, command: Command) -> None:
    """From the table that has stopped: opens another one, or sits down at that of ``key``."""
    again, held = room.state.sections["again"], room.state.sections["table"]
    if not isinstance(again, dict):
        raise BadCommand("page.again", "there is no table here from which others may go on")
    if _plays(held) or _begins(room):
        raise BadCommand("page.playing", "the table plays already")
    if command.fields.get("key") is None:
        room.state.invite_only = False
        await room.peer.go_on()
    else:
        opener = command.identity("key", "the key of an opener")
        with trio.move_on_after(FINDING_SECONDS) as looking:
            await room.peer.join(again["name"], opener=opener)
        if looking.cancelled_caught:
            raise BadCommand("page.gone", "this table is not there any more")
    await room.bots.come_back(room.state.stopped_keys)
    room.state.clear_table()


async def _ready(room: Room, command: Command) -> None:
    await room.peer.ready(command.flag("ready"))


async def _leave(room: Room, command: Command) -> None:
    held = room.state.sections["table"]
    if isinstance(held, dict) and held["seat"] is None:
        await _lobby(room, command)
        return
    waits = room.state.sections["lobby"] is not None
    if not waits and (_plays(held) or _begins(room)):
        raise BadCommand("page.playing", "the table plays already")
    await room.peer.leave()
    if waits and room.peer.waiting() is not None:
        # All have signed in the meantime, and the peer stays; windows will hear of it.
        raise BadCommand("page.playing", "the table plays already")
    await room.bots.let_go(but=_keys(held))
    room.state.put("lobby", None)


async def _remove(room: Room, command: Command) -> None:
    """The opener gives somebody's seat away."""
    lobby = room.state.sections["lobby"]
    if not isinstance(lobby, dict) or not lobby["opener"]:
        raise BadCommand("page.lobby", "there is no table here that this player has opened")
    key = command.identity("key", "the key of a player")
    found = next((one for one in lobby["players"] if one["key"] == key), None)
    if found is None or found["own"]:
        raise BadCommand("page.field", "key must be that of another player at this table")
    if found["mine"]:
        await room.bots.let_go(only=(key,))
    else:
        await room.peer.remove(key)


async def _bot(room: Room, command: Command) -> None:
    lobby = room.state.sections["lobby"]
    if not isinstance(lobby, dict):
        raise BadCommand("page.lobby", "there is no table that waits for players here")
    if len(lobby["players"]) + room.bots.coming >= lobby["seats"]:
        raise BadCommand("page.full", "all seats of this table are taken")
    await room.bots.add(lobby["table"])


async def _rename(room: Room, command: Command) -> None:
    sections = room.state.sections
    # Another peer would not go on at the table that was left.
    if sections["lobby"] is not None or sections["table"] is not None or _begins(room):
        raise BadCommand("page.name", "at a table the name stays as it is")
    try:
        name = text(command.text("name"), MAX_NAME, "a name")
    except PeerFault as fault:
        raise BadCommand("page.name_form", fault.text) from None
    await room.rename(name)


# The table.


async def _move(room: Room, command: Command) -> None:
    try:
        move: Move = read_move(command.fields.get("move"))
    except IllegalMove as illegal:
        raise BadCommand(illegal.rule, illegal.text) from None
    before = room.state.sections["ask"]
    meant = command.fields.get("ask")
    if not isinstance(before, dict) or type(meant) is not int or before["n"] != meant:
        # Said in a window that did not know yet that things have moved on.
        raise BadCommand("turn", "it was meant for an earlier turn")
    await room.peer.move(move)
    if room.state.sections["ask"] is before:
        room.state.answered()


async def _next(room: Room, command: Command) -> None:
    await room.go_on()


async def _weigh(room: Room, command: Command) -> object:
    """Own slots in trays, or open cards in ``cards``; see ``ui.page.advice``."""
    try:
        if "cards" in command.fields:
            return weigh_cards(command.fields["cards"])
        return weigh_trays(room.state.sections["view"], command.fields.get("groups"))
    except NoAdvice as none:
        raise BadCommand("page.advice", str(none)) from None


async def _suggest(room: Room, command: Command) -> object:
    try:
        view = room.state.sections["view"]
        groups = command.fields.get("groups")
        return await trio.to_thread.run_sync(suggest, view, groups, limiter=room.advising)
    except NoAdvice as none:
        raise BadCommand("page.advice", str(none)) from None


async def _sit(room: Room, command: Command) -> None:
    choice = command.text("choice", 10)
    await room.peer.sit(choice)
    looks = room.state.sections["paused"] is not None
    if room.state.sections["table"] is not None:
        room.state.update("table", sit=choice, going=choice == "leave" and looks)
    if choice == "leave" and looks:
        await room.go_on()  # who leaves between two hands has seen the result


async def _depart(room: Room, command: Command) -> None:
    """This player leaves at once, in the middle of a hand too."""
    await room.peer.depart()


async def _miss(room: Room, command: Command) -> None:
    """This player will wait no longer for a silent one, where no clock decides it."""
    await room.peer.miss(command.number_in("seat", 0, MAX_SEATS - 1))


async def _lobby(room: Room, command: Command) -> None:
    """Back to the lobby from a table that is over, or that this seat has left."""
    held = room.state.sections["table"]
    if isinstance(held, dict) and held["seat"] is None:
        await room.peer.unwatch()
    elif _plays(held):
        raise BadCommand("page.playing", "the table still plays: leave it first")
    if room.state.sections["lobby"] is None and not _begins(room):
        await room.bots.let_go()
    elif isinstance(held, dict):
        # Those of the next table stay: another window shows it already.
        await room.bots.let_go(only=_keys(held))
    room.state.clear_table()


def _plays(held: object) -> bool:
    """Whether this player has a seat at a table that is not over."""
    return (
        isinstance(held, dict)
        and held["seat"] is not None
        and not (held["ended"] or held["stopped"] or held["left"])
    )


def _begins(room: Room) -> bool:
    """Whether the peer is, or may be, about to go on at a table that was left."""
    return room.beginning or bool(room.state.sections["resuming"])


def _keys(held: object) -> frozenset[bytes]:
    """The keys of the players at a table."""
    return (
        frozenset(one["key"] for one in held["players"]) if isinstance(held, dict) else frozenset()
    )


# People.


async def _say(room: Room, command: Command) -> None:
    await room.peer.say(command.text("text"))


async def _mute(room: Room, command: Command) -> None:
    short = command.text("short", 40)
    held = room.state.sections["muted"]
    assert isinstance(held, tuple)
    rest = tuple(one for one in held if one != short)
    muted = (*rest, short) if command.flag("on") else rest
    room.state.put("muted", muted)
    room.kept.put(muted=muted)


# The past.


async def _tables(room: Room, command: Command) -> object:
    return await room.archive.tables()


async def _verify(room: Room, command: Command) -> None:
    room.archive.check(command.table())


async def _replay(room: Room, command: Command) -> object:
    if command.fields.get("hand") is None:
        room.archive.read(command.table())
        return None
    return room.archive.hand(command.table(), command.number_in("hand", 1, MOST_HANDS))


COMMANDS: Final[Mapping[str, Callable[[Room, Command], Awaitable[object]]]] = {
    "open": _open,
    "join": _join,
    "watch": _watch,
    "go_on": _go_on,
    "ready": _ready,
    "leave": _leave,
    "remove": _remove,
    "bot": _bot,
    "rename": _rename,
    "move": _move,
    "next": _next,
    "weigh": _weigh,
    "suggest": _suggest,
    "sit": _sit,
    "depart": _depart,
    "miss": _miss,
    "lobby": _lobby,
    "say": _say,
    "mute": _mute,
    "tables": _tables,
    "verify": _verify,
    "replay": _replay,
}
"""Every command by its name."""
