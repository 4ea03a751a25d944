"""``facedown bot``: one peer without a screen, from sitting down to the end of the match."""

from __future__ import annotations

from contextlib import suppress

import trio

from p2p import events as p2p
from p2p.database import NO_SEAT
from p2p.identity import load_or_make, short_form
from p2p.trouble import Trouble
from protocol import events as table
from protocol.agreement import read_agreement
from protocol.errors import LocalError, PeerFault
from ui import exits, moves, saving, stdin
from ui.exits import Exit
from ui.going_on import GoingOn
from ui.lines import Lines, print_line
from ui.moves import Chooser, Program, Strategist
from ui.peerlike import PeerLike
from ui.remarks import remark
from ui.settings import Settings
from ui.signals import obeyed
from ui.telling import me, tell
from ui.trouble import judge, say
from ui.wording import listed, named, shown

LAST_WORDS = 2.0
"""Seconds that a peer stays after the match, so that the others get what only it may have."""

STAY_SECONDS = 20.0
"""How much longer it stays while the program of a seat has not shown that it has the end: one that
was killed at the end and is started again can finish the match by nobody else, if all others go."""

LOOK = 0.2
"""Seconds between two looks at who still lacks it."""

AGAIN = 1.0
"""Seconds until an address at which nobody answered is tried again."""


def run(settings: Settings) -> int:
    """The command; returns the exit code."""
    lines = Lines(print_line)
    try:
        end = trio.run(_run, settings, lines)
    except BaseException as error:
        verdict = judge(error)
        if verdict.code != exits.PIPE:
            lines.emit("ended", code=verdict.code, reason=verdict.text)
        raise
    say(f"facedown: {end.text}.")
    lines.emit("ended", code=end.code, reason=end.text)
    return end.code


async def _run(settings: Settings, lines: Lines) -> Exit:
    from p2p.peer import PeerConfig, open_peer

    async with obeyed():
        # A bot that was started by nobody else belongs to whoever holds its key.
        identity = await trio.to_thread.run_sync(load_or_make, settings.data)
        config = PeerConfig(
            data=settings.data,
            name=settings.name,
            interface=settings.interface,
            port=settings.port,
            owner=settings.owner or identity.key,
            discovery=settings.discovery,
            shorts=settings.shorts,
        )
        async with open_peer(config) as peer:
            return await Bot(settings, peer, lines).play()


class Bot:
    """One match: at one table, or at others that go on from it when that has stopped."""

    def __init__(self, settings: Settings, peer: PeerLike, lines: Lines) -> None:
        self._settings = settings
        self._peer = peer
        self._lines = lines
        self._end: Exit | None = None
        self._ended = trio.Event()
        self._left = trio.Event()
        self._progress = trio.Event()
        self._doing = "the table was not found"
        self._seat: int | None = None
        self._table = b""
        self._players: list[str] = []
        self._people: frozenset[int] = frozenset()
        self._guilty = False
        self._again = GoingOn(peer)
        self._follows = False
        self._first_hand: int | None = None
        self._program: Program | None = None
        self._chooser: Chooser
        if settings.program:
            self._program = self._chooser = Program(peer, lines)
        else:
            self._chooser = Strategist(settings.strategy, peer)

    async def play(self) -> Exit:
        """Sits down, plays and saves; returns how it ended."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, nursery)
            nursery.start_soon(self._sit_down)
            if self._settings.give_up is not None:
                nursery.start_soon(self._watch_progress, self._settings.give_up)
            if self._program is not None:
                nursery.start_soon(self._hear, self._program)
            if self._settings.linger:
                nursery.start_soon(self._watch_stdin)
            while True:
                await self._ended.wait()
                await self._save()
                if not await self._sits_again():
                    break
            if self._settings.linger:
                await self._left.wait()
            elif self._seat is not None:
                await self._say_goodbye()
            nursery.cancel_scope.cancel()
        assert self._end is not None
        return self._end

    async def _say_goodbye(self) -> None:
        """Stays until the others have what only this peer may have, for a while."""
        await trio.sleep(LAST_WORDS)
        lacking = self._peer.lacking_end()
        if not lacking:
            return
        self._lines.emit("staying", seats=lacking, seconds=STAY_SECONDS)
        who = self._names(lacking)
        say(f"staying for up to {STAY_SECONDS:g} s: {who} may not have the end of the match yet")
        for _ in range(int(STAY_SECONDS / LOOK)):
            if not self._peer.lacking_end():
                return
            await trio.sleep(LOOK)

    async def _sits_again(self) -> bool:
        """Whether the table has stopped, and goes on at another one with this peer."""
        left = await self._peer.stopped() if self._follows else None
        if self._end is None:
            return True  # it went back meanwhile
        if left is None or not self._follows:
            return False
        origin = left.origin
        self._lines.emit(
            "may_go_on",
            table_id=origin.table,
            hand=origin.hand,
            standing=origin.standing,
            seats=left.vacant,
        )
        patience = self._settings.go_on
        most = "" if patience == float("inf") else f" {patience:g} s"
        say(f"{self._end.text}; waiting{most} for somebody to open one that goes on from it")
        sits = await self._again.sits_again(left, patience)
        self._follows &= sits  # from now on nothing changes how it has ended
        return sits

    async def _sit_down(self) -> None:
        settings = self._settings
        if await self._peer.resume():
            return
        if settings.opens:
            assert settings.table is not None
            assert settings.game is not None
            options = dict(settings.options)
            await self._peer.open_table(
                settings.table, settings.game, options, settings.seats, settings.invite
            )
            if settings.invite:
                codes = await trio.to_thread.run_sync(self._peer.invites)
                self._lines.emit("invites", codes=codes)
                say(f"invite code: {', '.join(codes)}")
        elif (settings.table, settings.join, settings.code) != (None, None, None):
            await self._join()
        else:
            await self._look_back()

    async def _look_back(self) -> None:
        """No table was named: the newest one is over, goes on elsewhere, or is to be saved yet."""
        settings = self._settings
        tables = [one for one in await self._peer.tables() if one.seat != NO_SEAT]
        self._follows = settings.go_on > 0 and await self._peer.stopped() is not None
        if not tables or (settings.save is None and not self._follows):
            hint = "; --save FILE writes the record of the last match" if tables else ""
            raise Exit(
                exits.USAGE,
                f"no unfinished table in {settings.data}: say which one with --table, --join or "
                f"--open{hint}",
            )
        newest = tables[0]
        try:
            agreement = read_agreement(newest.sealed)
        except PeerFault as fault:
            text = f"The last table in the data folder cannot be read: {fault.text}."
            raise Trouble("data-damaged", text) from None
        self._table, self._seat = newest.table, newest.seat
        self._players = [shown(player.name) for player in agreement.players]
        origin = agreement.roster.origin
        self._first_hand = None if origin is None else origin.hand
        name = shown(agreement.roster.table)
        if self._follows:
            text = f'table "{name}" stopped before, and nobody goes on from it'
            self._finish(exits.STOPPED, text)
        else:
            text = f'the match at table "{name}" was over already; its record is saved'
            self._finish(exits.DONE, text)

    async def _join(self) -> None:
        """Asks for a seat; where nobody answers, again until it is time to give up."""
        settings = self._settings
        while True:
            try:
                await self._peer.join(settings.table, settings.join, settings.game, settings.code)
                return
            except Trouble:  # of this machine
                raise
            except LocalError as error:
                why = shown(str(error)).rstrip(".")
            if settings.give_up is None:
                self._finish(exits.REFUSED, why)
                return
            self._doing = why
            await trio.sleep(AGAIN)

    async def _listen(self, nursery: trio.Nursery) -> None:
        key = self._peer.key
        short = ""
        if self._settings.shorts:
            short = await trio.to_thread.run_sync(short_form, key)
        who = me(self._settings.name, key, short, self._settings.data)
        async for event in self._peer.events:
            tell(self._lines, event, who)
            self._note(event)
            self._again.hear(event)
            words = remark(event, self._players)
            if words is not None:
                say(words)
            match event:
                case p2p.SessionTold(table.YourMove() as due):
                    nursery.start_soon(self._chooser.asked, due)
                case p2p.SessionTold(table.VoteUnderWay() as vote) if self._goes_along(vote):
                    nursery.start_soon(self._miss, vote.seat)

    def _goes_along(self, vote: table.VoteUnderWay) -> bool:
        """Whether people want to wait no longer for a seat, and nobody else here can say so too.

        That is where no clock decides it: they might never be more than half without bots.
        """
        there = self._peer.attendance()
        people = self._people & set(there.voters) - {vote.seat}
        asked = there.calls.get(vote.seat) == float("inf")
        return self._chooser.alone and asked and 2 * vote.gone > len(people)

    async def _miss(self, seat: int) -> None:
        with suppress(LocalError):  # it has come meanwhile
            await self._peer.miss(seat)

    def _note(self, event: p2p.PeerEvent) -> None:
        """Keeps what is needed to know how it ends."""
        match event:
            case p2p.Refused(_, text):
                self._finish(exits.REFUSED, shown(text))
            case p2p.LobbyChanged(name, game, _, seats, players):
                if self._settings.game not in (None, game):
                    text = f'at table "{shown(name)}" {shown(game)} is played (--game)'
                    self._finish(exits.REFUSED, text)
                self._doing = f'at table "{shown(name)}" {len(players)} of {seats} seats are taken'
                self._move_on()
            case p2p.Looking():
                self._doing = "nobody is there of the table that was signed"
                self._move_on()
            case p2p.Agreed(table_id, seat, players) | p2p.Resumed(table_id, seat, players):
                if self._again.waits:
                    self._begin_anew()
                self._table, self._seat = table_id, seat
                self._first_hand = None if event.origin is None else event.origin.hand
                self._players = [shown(player.name) for player in players]
                self._people = frozenset(s for s, one in enumerate(players) if not one.owner)
                self._doing = "nothing has come from the others"
                self._move_on()
            case p2p.FaultSeen(fault, _):
                self._guilty |= fault.seat is not None and fault.seat == self._seat
            case p2p.SessionTold(told):
                self._note_table(told)

    def _note_table(self, event: table.Event) -> None:
        match event:
            case table.WentBack() if self._follows:
                self._begin_anew()
            case table.StepClosed():
                self._doing = "nothing has come from the others"
                self._move_on()
            case table.Overdue(_, _, _, seats, _):
                self._doing = f"nothing has come from {self._names(seats)}"
            case table.MatchOver(end, _) if end.winner is not None or end.shared:
                self._finish(exits.DONE, named(end.text, self._players))
            case table.Left():
                self._finish(exits.DONE, "left the table, which plays on without this seat")
            case table.Stopped(seats, code, text):
                self._stopped(seats, code, f"{named(text, self._players)} [{code}]")

    def _stopped(self, seats: tuple[int, ...], code: str, why: str) -> None:
        """The table cannot go on. Who asked to leave or to sit out is not to blame for that."""
        ours = self._seat in seats
        sitting = "in" if self._program is None else self._program.sitting
        asked = ours and code == "left" and sitting != "in"
        if self._guilty or (ours and not asked):
            verdict = exits.OWN_FAULT
        else:
            verdict = exits.DONE if asked and sitting == "leave" else exits.STOPPED
        self._follows = verdict == exits.STOPPED and self._settings.go_on > 0
        who = f" by {self._names(seats)}" if seats else ""
        self._finish(verdict, f"the table was stopped{who}: {why}")

    def _begin_anew(self) -> None:
        """A table goes on, another one or this: what this ends with is not known any more."""
        self._end, self._ended = None, trio.Event()
        self._guilty = self._follows = False
        if self._program is not None:
            self._program.sitting = "in"

    def _names(self, seats: tuple[int, ...]) -> str:
        known = len(self._players)
        return listed([self._players[s] if s < known else f"seat {s}" for s in seats])

    def _finish(self, code: int, reason: str) -> None:
        """The first end counts."""
        if self._end is None:
            self._end = Exit(code, reason)
            self._ended.set()

    def _move_on(self) -> None:
        """Something has happened at the table: nobody has to give up yet."""
        self._progress.set()
        self._progress = trio.Event()

    async def _watch_progress(self, seconds: float) -> None:
        while True:
            with trio.move_on_after(seconds) as scope:
                await self._progress.wait()
            if scope.cancelled_caught and self._end is None:
                self._finish(exits.GAVE_UP, f"gave up after {seconds:g} s: {self._doing}")
                return

    async def _hear(self, program: Program) -> None:
        async for line in stdin.lines(moves.MOST_LINE):
            await program.said(line)
        await program.ended()

    async def _watch_stdin(self) -> None:
        await stdin.closed()
        self._left.set()
        self._again.give_up()
        self._finish(exits.TERMINATED, "standard input was closed")

    async def _save(self) -> None:
        file = self._settings.save
        if file is None or self._seat is None:
            return
        if self._first_hand is not None:  # that of the table before stays
            file = file.with_name(f"{file.stem}-{self._first_hand}{file.suffix}")
        record = await self._peer.record_of(self._table)
        await trio.to_thread.run_sync(saving.save, file, record)
        self._lines.emit("saved", file=str(file), bytes=len(record))
