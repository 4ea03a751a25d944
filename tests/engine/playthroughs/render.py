"""A hand as text: every observable of the contract at every step; knows no game."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby

from engine import (
    Audience,
    Card,
    Choice,
    Game,
    MatchEnd,
    Move,
    Options,
    Outcome,
    Plain,
    Seat,
    Standing,
    View,
)
from tests.engine.driver import Choose, Match, Silent, Step, Table


def play(
    game: Game,
    options: Options,
    standing: Standing,
    deck: Sequence[Card],
    choose: Choose,
    coin: int,
    silent: Silent,
) -> tuple[list[str], Standing]:
    """One hand as lines, and the standing after it."""
    present = frozenset(range(max(game.seats)))
    seats = game.dealt_in(options, standing, present)
    state = game.start(options, seats, standing, coin)
    table = Table(game, options, seats, deck, state, choose, silent)
    lines = [f"# hand: seats {_numbers(seats)}, coin {coin}"]
    lines += _standing(game, "before", standing)
    lines += steps(table)
    if game.over(table.state):
        standing = game.settle(table.state)
        lines += _standing(game, "standing", standing)
        lines.append(f"match: {_match(game.match(options, standing, present))}")
    return lines, standing


def play_on(match: Match, hands: int) -> list[str]:
    """So many deals of a match, or up to its end, and what is settled between them, as lines."""
    lines: list[str] = []
    for table in match.play():
        if match.number + table.is_interlude > hands:
            break
        what = "between hands" if table.is_interlude else "hand"
        coin = "" if table.is_interlude else f", coin {match.coins(match.number)}"
        lines += ["", f"# {what}: seats {_numbers(table.seats)}{coin}"]
        lines += _standing(match.game, "before", match.standing)
        lines += steps(table)
        if table.outcome in (Outcome.GOES_ON, Outcome.NEW_PACK):
            after = match.game.settle(table.state)
            lines += _standing(match.game, "standing", after)
            present = match.present - table.gone
            lines.append(f"match: {_match(match.game.match(match.options, after, present))}")
    return [*lines, "", f"at the end: {_match(match.end)}"]


def steps(table: Table) -> list[str]:
    """One hand, played to its end, as lines."""
    lines: list[str] = []
    seen: dict[str, str] = {}
    table.choose = choices = Once(table.choose)
    for step in table.play():
        lines += ["", f"## step {step.number}: {step.kind}"]
        if step.silent:
            lines.append(f"falls silent: {_numbers(step.silent)}")
        lines += observe(table, seen, choices, step)
        for seat, move in table.moves:
            lines.append(f"has moved: seat {seat} {_plain(move)}")
        table.moves.clear()
    lines += ["", "## result", f"outcome: {table.outcome.value}"]
    if table.game.over(table.state):
        lines += [f"story: {line}" for line in table.game.describe(table.state)]
    return lines


@dataclasses.dataclass
class Once:
    """A chooser that may be asked beforehand what it will say, and is asked only once."""

    choose: Choose
    said: dict[Seat, Move] = dataclasses.field(default_factory=dict)

    def __call__(self, seat: Seat, view: View) -> Move:
        """The choice, which is made by it."""
        return self.said.pop(seat) if seat in self.said else self.choose(seat, view)

    def beforehand(self, seat: Seat, view: View) -> Move:
        """The choice that will be made."""
        if seat not in self.said:
            self.said[seat] = self.choose(seat, view)
        return self.said[seat]


def observe(table: Table, seen: dict[str, str], choices: Once, step: Step) -> list[str]:
    """What the contract says of the state now, and what each seat may know.

    ``seen`` is what was last written of the state and the views: only changes are written again,
    and of a seat's view only what is not the same for everybody.
    """
    game, state = table.game, table.state
    lines = [f"over: {'yes' if game.over(state) else 'no'}"]
    lines.append(f"audience: {_audience(game.audience(state))}")
    for seat, slots in sorted(game.locks(state).items()):
        lines.append(f"lock: seat {seat} slots {_spans(slots)}")
    for seat, kind in sorted(game.owed(state).items()):
        clock = game.clock(table.options, kind)
        lines.append(f"owed: seat {seat} {kind}, {clock or 'no'} seconds")
    plain = game.plain(state)
    assert isinstance(plain, tuple)
    for item in plain:
        assert isinstance(item, tuple)
        lines += _changes(seen, {f"plain: {item[0]}": _plain(item[1])}, {})
    stranger = {f"everybody sees: {k}": v for k, v in _fields(table.view(None)).items()}
    common = {k.removeprefix("everybody"): v for k, v in stranger.items()}
    before = {k: seen.get(f"everybody{k}", "") for k in common}
    lines += _changes(seen, stranger, {})
    for seat in table.seats:
        view = table.view(seat)
        fields = {f"seat {seat} sees: {k}": v for k, v in _fields(view).items()}
        as_others = {
            f"seat {seat}{k}": v
            for k, v in common.items()
            if seen.get(f"seat {seat}{k}", before[k]) == before[k]
        }
        lines += _changes(seen, fields, as_others)
        lines += [f"seat {seat} may: {_choice(choice)}" for choice in game.legal(view)]
        if view.owes is not None:
            lines.append(f"seat {seat} when late: {_plain(game.late(view))}")
        if view.owes is not None and seat not in step.silent:
            objection = game.objection(view, choices.beforehand(seat, view))
            if objection is not None:
                lines.append(f"seat {seat} objection: {objection.rule}: {objection.text}")
    return lines


def _changes(seen: dict[str, str], now: dict[str, str], expected: dict[str, str]) -> list[str]:
    """The lines that differ from what was last written, but those that are as expected."""
    lines = [
        f"{name} = {value}"
        for name, value in now.items()
        if seen.get(name) != value and expected.get(name) != value
    ]
    seen |= now
    return lines


def _standing(game: Game, title: str, standing: Standing) -> list[str]:
    return [f"{title}: {name} = {_plain(value)}" for name, value in _pairs(game, standing)]


def _match(end: MatchEnd | None) -> str:
    if end is None:
        return "None"
    won = f"seat {end.winner}" if end.winner is not None else _numbers(end.shared) or "nobody"
    return f"{end.rule}, won by {won}: {end.text}"


def _pairs(game: Game, standing: Standing) -> list[tuple[str, Plain]]:
    plain = game.plain_standing(standing)
    assert isinstance(plain, tuple)
    pairs = []
    for item in plain:
        assert isinstance(item, tuple)
        assert isinstance(item[0], str)
        pairs.append((item[0], item[1]))
    return pairs


def _plain(value: Plain | Move) -> str:
    if isinstance(value, tuple):
        return "(" + " ".join(_plain(item) for item in value) + ")"
    return str(value)


def _fields(view: View) -> dict[str, str]:
    shown = {}
    for item in dataclasses.fields(view):
        value = getattr(view, item.name)
        if item.name == "hand":
            shown[item.name] = " ".join(f"{slot}:{card}" for slot, card in value) or "-"
        else:
            shown[item.name] = _value(value)
    return shown


def _value(value: object) -> str:
    if dataclasses.is_dataclass(value):
        names = [item.name for item in dataclasses.fields(value)]
        return "[" + ", ".join(f"{name} {_value(getattr(value, name))}" for name in names) + "]"
    if isinstance(value, tuple):
        return "(" + " ".join(_value(item) for item in value) + ")"
    return str(value)


def _choice(choice: Choice) -> str:
    moves = " ".join(_plain(move) for move in choice.moves) or choice.form
    if choice.amount is not None:
        least, most, by = choice.amount
        moves = f"{least} to {most} by {by}"
    return f"{choice.kind} | {choice.text} | {moves}"


def _numbers(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _spans(slots: Sequence[int]) -> str:
    return (
        f"{slots[0]}-{slots[-1]}" if slots == tuple(range(slots[0], slots[-1] + 1)) else str(slots)
    )


def _audience(audience: tuple[Audience, ...]) -> str:
    spans = []
    start = 0
    for one, group in groupby(audience):
        stop = start + len(list(group))
        who = "all" if one.public else _numbers(sorted(one.seats)) or "nobody"
        spans.append(f"{start}-{stop - 1} {who}")
        start = stop
    return "; ".join(spans)
