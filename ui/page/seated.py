"""The table at which this peer has a seat, or looks on: most of what windows show.

Nothing here ever holds more than this seat may know: views come from the engine for this seat, and
everything else is public.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from engine import MatchEnd, View, game
from p2p import events as p2p
from p2p.following import Attendance
from protocol import events as table
from protocol.errors import PeerFault
from ui.lines import plain
from ui.page.fairness import Fairness
from ui.page.games import barred
from ui.page.sections import Sections

LOST_SECONDS = 3.0
"""How long somebody without a link may owe an entry until people are told that it is lost."""

SECTIONS = ("table", "view", "ask", "result", "paused", "waiting", "fair", "standing")


STEADY_MS = 1500
"""A time that is to come, and differs by less from what was told, is told as it was."""

MOMENTS = 400
"""Steps of the table that are kept in mind, should it go back to one of them."""

UNDONE = frozenset(
    {
        "move",
        "hand_started",
        "hand_over",
        "match_over",
        "stopped",
        "sat_out",
        "left",
        "gone",
        "came_back",
    }
)
"""Lines of the log that have not happened if the table goes back behind them."""

NOBODY = Attendance()


@dataclass(frozen=True, slots=True)
class _Moment:
    """What windows showed before a step of the table closed. ``line``: the last line by then."""

    kind: str
    line: int
    fields: dict[str, object]
    sections: dict[str, object]
    sitting: dict[int, str]


class Seated:
    """Keeps the sections of the table. ``key``: the own identity key.

    ``bots``: the keys of bots that were started here. ``back``: ``table``, ``hand`` and ``head`` of
    the pack that was last dealt from here. ``gone``: ``table`` and who was declared gone there.
    """

    def __init__(self, shown: Sections, key: bytes) -> None:
        self._shown = shown
        self._key = key
        self._fairness: Fairness | None = None
        self._links: set[bytes] = set()
        self._away: dict[int, str] = {}
        self._gone: tuple[int, ...] = ()
        self._linked_again: set[int] = set()
        self._votes: dict[int, table.VoteUnderWay] = {}
        self._calls: dict[int, int | None] = {}
        self._moments: dict[int, _Moment] = {}
        self._overdue: dict[int, float] = {}
        self._asked = 0
        self._stepped = False
        self.back: dict[str, object] = {}
        self.gone: dict[str, object] = {}
        self.bots: Container[bytes] = ()
        self.clear()

    def clear(self) -> None:
        """Forgets the table: back to the lobby."""
        for section in SECTIONS:
            self._shown.put(section, None)
        self._shown.put("log", [])
        self._shown.put("hands", [])
        self._fairness = None
        self._away.clear()
        self._overdue.clear()
        self._gone = ()
        self._linked_again.clear()
        self._votes.clear()
        self._calls.clear()
        self._moments.clear()

    def waits(self, found: tuple[str, tuple[int, ...]] | None, there: Attendance = NOBODY) -> None:
        """What the table waits for now, as ``Peer.waiting`` says, and who is there."""
        if there.away != self._gone:
            self._gone = there.away
            self._players()
        if found is None or self._shown.sections["table"] is None:
            self._shown.put("waiting", None)
            return
        kind, seats = found
        overdue = max((self._overdue.get(seat, 0.0) for seat in seats), default=0.0)
        held = self._shown.sections["waiting"]
        since = int(self._shown.wall() * 1000)
        same = isinstance(held, dict) and held["kind"] == kind and set(seats) <= set(held["seats"])
        if isinstance(held, dict) and same and not self._stepped:
            since = held["since"]  # of those who owed this step some have answered
        self._stepped = False
        self._calls = {seat: self._calls_at(seat, left) for seat, left in there.calls.items()}
        waiting = {
            "kind": kind,
            "seats": seats,
            "since": since,
            "overdue": overdue or None,
            "voters": there.voters,
            "calls": [[seat, at] for seat, at in self._calls.items()],
            "votes": [
                {"seat": one.seat, "gone": one.gone, "here": one.here, "needed": one.needed}
                for seat, one in self._votes.items()
                if seat in seats
            ],
        }
        self._shown.put("waiting", waiting)
        if self._shown.wall() * 1000 - since > LOST_SECONDS * 1000:
            self._players()

    def _calls_at(self, seat: int, left: float) -> int | None:
        """When this seat calls a silent one gone; 0: it has; None: only if people ask."""
        if left == float("inf"):
            return None
        at = int((self._shown.wall() + left) * 1000) if left > 0 else 0
        told = self._calls.get(seat)
        return told if told is not None and abs(told - at) < STEADY_MS else at

    def sit_down(self, event: p2p.Agreed | p2p.Resumed | p2p.Watching) -> None:
        """The table begins, goes on, or is looked on at."""
        self.clear()
        found = game(event.game)
        options = dict(event.options)
        seat = None if isinstance(event, p2p.Watching) else event.seat
        self._shown.put(
            "table",
            {
                "id": event.table_id,
                "name": event.table,
                "game": event.game,
                "title": found.title,
                "options": options,
                "seat": seat,
                "code": event.code,
                "hand": 0,
                "first": 1 if event.origin is None else event.origin.hand,
                "players": [player(one, self._key, self.bots) for one in event.players],
                "ended": None,
                "stopped": None,
                "left": False,
                "resumed": isinstance(event, p2p.Resumed),
            },
        )
        resumed = not isinstance(event, p2p.Agreed)
        self._fairness = Fairness(len(found.pack(options)), seat, resumed)
        if isinstance(event, p2p.Resumed):
            self._fairness.recall(_absent(self.gone, event.table_id))
        self._shown.put("fair", self._fairness.plain())
        self._shown.log(type(event).__name__.lower())
        self._players()

    def link(self, key: bytes, up: bool) -> None:
        """Somebody is linked now, or not any more."""
        held = self._shown.sections["table"]
        players = held["players"] if isinstance(held, dict) else []
        seats = {seat for seat, one in enumerate(players) if one["key"] == key}
        if up:
            self._links.add(key)
            self._linked_again |= seats & set(self._gone)
        else:
            self._links.discard(key)
            self._linked_again -= seats
        self._players()

    def blame(self, fault: PeerFault, name: str) -> None:
        """A seat broke the protocol."""
        if self._fairness is not None and fault.seat is not None:
            self._fairness.blame(fault, name)
            self._shown.put("fair", self._fairness.plain())
            self._shown.log("fault", seat=fault.seat, code=fault.code, text=fault.text)

    def _players(self) -> None:
        """How each player of the table is connected."""
        held = self._shown.sections["table"]
        if not isinstance(held, dict):
            return
        self._linked_again &= set(self._gone)
        late: tuple[int, ...] = ()
        waiting = self._shown.sections["waiting"]
        if (
            isinstance(waiting, dict)
            and self._shown.wall() * 1000 - waiting["since"] > LOST_SECONDS * 1000
        ):
            late = waiting["seats"]
        players = []
        for seat, one in enumerate(held["players"]):
            link = self._away.get(seat)
            if seat in self._gone:
                link = "back" if seat in self._linked_again else "away"
            if link is None:
                link = "linked" if one["own"] or one["key"] in self._links else "relayed"
                if link != "linked" and (seat in self._overdue or seat in late):
                    link = "lost"
            players.append({**one, "link": link})
        self._shown.update("table", players=players)

    def take(self, event: table.Event) -> None:
        """Something happened at the table."""
        if self._fairness is not None and self._fairness.take(event):
            self._shown.put("fair", self._fairness.plain())
        match event:
            case table.StepClosed():
                self._stepped = self._stepped or event.lane == 0
                self._votes.clear()
                self._keep(event)
                if self._overdue:
                    self._overdue.clear()
                    self._players()
            case table.HandStarted(hand, _, seats):
                self._shown.update("table", hand=hand)
                self._shown.put("result", None)
                self._shown.put("paused", None)
                self._shown.log("hand_started", hand=hand, seats=seats)
                self._dealt(hand)
            case table.ViewChanged(view):
                self._see(view)
            case table.YourMove():
                self._ask(event)
            case table.MoveMade(seat, move, opened):
                self._shown.log("move", seat=seat, move=move, opened=opened)
            case table.HandOver():
                self._hand_over(event)
            case table.SitSaid(choices):
                self._sat(choices)
            case table.VoteUnderWay():
                self._votes[event.seat] = event
            case table.DeclaredGone():
                self._declared_gone(event)
                self._note_gone()
            case table.WentBack():
                self._went_back(event)
            case table.Leaves(seat):
                self._shown.log("left", seat=seat)
            case table.CameBack(seats):
                self._gone = tuple(seat for seat in self._gone if seat not in seats)
                self._players()
                self._shown.log("came_back", seats=seats)
            case table.MatchOver(end, standing):
                self._shown.update("table", ended={**_fields(end), "standing": standing})
                self._shown.put("standing", standing)
                self._shown.put("paused", None)
                self._shown.log("match_over", winner=end.winner, shared=end.shared, rule=end.rule)
            case table.Stopped(seats, code, text):
                stopped = {"seats": seats, "code": code, "text": text}
                self._shown.update("table", stopped=stopped)
                self._shown.put("ask", None)
                self._shown.put("paused", None)
                self._shown.log("stopped", **stopped)
            case table.Left():
                self._left()
                self._shown.put("ask", None)
                self._shown.put("paused", None)
            case table.Overdue(_, _, "sit" | "back", _, _):
                pass  # they look at the result, as long as each page lets them; or have been gone
            case table.Overdue(_, _, kind, seats, seconds):
                self._overdue |= dict.fromkeys(seats, seconds)
                self._players()
                self._shown.log("overdue", seats=seats, due=kind, seconds=seconds)
            case _:
                pass

    def _left(self) -> None:
        """This seat has left for good; where it was asked between hands, ``_sat`` tells it too."""
        held = self._shown.sections["table"]
        assert isinstance(held, dict)
        self._shown.update("table", left=True)
        if self._away.get(held["seat"]) != "left":
            self._away[held["seat"]] = "left"
            self._shown.log("left", seat=held["seat"])

    def _declared_gone(self, event: table.DeclaredGone) -> None:
        """More than half say that a seat is gone; ``of``: of so many."""
        self._votes.pop(event.seat, None)
        self._gone = tuple(sorted({*self._gone, event.seat}))
        self._players()
        waiting = self._shown.sections["waiting"]
        held = self._shown.sections["table"]
        assert isinstance(held, dict)
        if held["left"] and event.seat == held["seat"]:
            return  # it has said itself that it goes
        known = waiting if isinstance(waiting, dict) else {}
        self._shown.log(
            "gone",
            seat=event.seat,
            by=event.by,
            of=len(known.get("voters") or held["players"]),
            due=known.get("kind", "") if event.seat in known.get("seats", ()) else "",
            pack=event.lane > 0,
        )

    def _note_gone(self) -> None:
        """Keeps in mind who was declared gone: it is told again after a restart."""
        held = self._shown.sections["table"]
        if isinstance(held, dict) and self._fairness is not None:
            self.gone = {"table": held["id"].hex(), "absent": list(self._fairness.absent)}

    def _keep(self, event: table.StepClosed) -> None:
        """Keeps in mind how it was before a step of the table closed."""
        held = self._shown.sections["table"]
        if event.lane or not isinstance(held, dict):
            return
        self._moments[event.step] = _Moment(
            event.kind,
            self._shown.count,
            {name: held[name] for name in ("hand", "ended", "stopped", "left")},
            {name: self._shown.sections[name] for name in ("view", "result", "standing", "hands")},
            dict(self._away),
        )
        for old in list(self._moments)[:-MOMENTS]:
            del self._moments[old]

    def _went_back(self, event: table.WentBack) -> None:
        """The table stands at an earlier step: what came after it has not happened."""
        step = self._behind_pack() if event.lane else event.step
        moment = None if step is None else self._moments.get(step)
        if step is not None and moment is not None:
            self._moments = {n: one for n, one in self._moments.items() if n < step}
            for name, value in moment.sections.items():
                self._shown.put(name, value)
            self._shown.update("table", **moment.fields)
            self._away = dict(moment.sitting)
            log = self._shown.sections["log"]
            assert isinstance(log, list)
            kept = [one for one in log if one["n"] <= moment.line or one["kind"] not in UNDONE]
            self._shown.put("log", kept)
            self._shown.happened = [
                one
                for one in self._shown.happened
                if one.get("n", 0) <= moment.line or one["kind"] not in UNDONE  # type: ignore[operator]
            ]
        self._shown.put("ask", None)
        self._shown.put("paused", None)
        self._stepped = True
        self._overdue.clear()
        self._votes.clear()
        self._shown.log("went_back", seat=event.seat)
        self._players()
        self._note_gone()

    def _behind_pack(self) -> int | None:
        """The step of the table to which it goes back with a pack: the first READY after a SIT."""
        last = None
        for step, moment in reversed(self._moments.items()):
            if moment.kind in ("sit", "back"):
                break
            if moment.kind == "ready":
                last = step
        return last

    def _sat(self, choices: tuple[tuple[int, str], ...]) -> None:
        """What the seats have answered between hands."""
        for seat, choice in choices:
            away = {"out": "out", "leave": "left"}.get(choice)
            if away is None:
                self._away.pop(seat, None)
            elif self._away.get(seat) != away:
                self._away[seat] = away
                self._shown.log("sat_out" if away == "out" else "left", seat=seat)
        self._players()

    def _see(self, view: View) -> None:
        self._shown.put("view", view)
        if view.owes is None:
            self._shown.put("ask", None)
        held = self._shown.sections["table"]
        number = getattr(view, "hand_number", 0)
        if isinstance(held, dict) and not held["hand"] and number:
            self._shown.update("table", hand=number)  # dealt before we came
            here = {"table": held["id"].hex(), "hand": number}
            head = self.back.get("head")
            if self._fairness and isinstance(head, str) and self.back == {**here, "head": head}:
                self._fairness.remember(number, head)
                self._shown.put("fair", self._fairness.plain())

    def _dealt(self, hand: int) -> None:
        """Keeps in mind which pack this hand is dealt from: its back is known again later."""
        held = self._shown.sections["table"]
        if isinstance(held, dict) and self._fairness is not None:
            head = self._fairness.packs[self._fairness.current].head
            self.back = {"table": held["id"].hex(), "hand": hand, "head": head}

    def _ask(self, event: table.YourMove) -> None:
        rules = game(event.view.game)
        until = int((self._shown.wall() + event.seconds) * 1000) if event.seconds else None
        choices = rules.legal(event.view)
        self._asked += 1
        self._shown.put(
            "ask",
            {
                "n": self._asked,
                "kind": event.kind,
                "seconds": event.seconds,
                "until": until,
                "choices": choices,
                "barred": barred(rules, event.view, choices),
            },
        )
        self._shown.put("view", event.view)
        self._shown.tell("ask", what=event.kind)

    def _hand_over(self, event: table.HandOver) -> None:
        held = self._shown.sections["hands"]
        assert isinstance(held, list)
        result = {
            "hand": event.hand,
            "standing": event.standing,
            "story": event.story,
            "view": self._shown.sections["view"],
        }
        self._shown.put("result", result)
        self._shown.put("standing", event.standing)
        self._shown.put("hands", [*held, {"hand": event.hand, "standing": event.standing}])
        self._shown.put("ask", None)
        self._shown.log("hand_over", hand=event.hand)


def player(one: p2p.PlayerInfo, own: bytes, bots: Container[bytes] = ()) -> dict[str, object]:
    """A player as windows show it; ``own``: the own key, ``bots``: those of bots started here."""
    return {
        "key": one.key,
        "name": one.name,
        "short": one.short,
        "bot": one.owner,
        "own": one.key == own,
        "mine": one.key in bots,
    }


def _absent(kept: dict[str, object], table_id: bytes) -> list[dict[str, object]]:
    """Who was declared gone at this table, by what a file holds: only what has the right form."""
    found = kept.get("absent") if kept.get("table") == table_id.hex() else None
    good = []
    for one in found if isinstance(found, list) else ():
        if not isinstance(one, dict) or not isinstance(one.get("by"), list):
            continue
        numbers = [one.get(name) for name in ("seat", "lane", "step", "hand")]
        if all(type(number) is int and number >= 0 for number in (*numbers, *one["by"])):
            good.append({name: one[name] for name in ("seat", "by", "lane", "step", "hand")})
    return good


def _fields(end: MatchEnd) -> dict[str, object]:
    found = plain(end)
    assert isinstance(found, dict)
    return found
