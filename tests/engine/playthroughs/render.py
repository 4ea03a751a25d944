"""A hand as text: every observable of the contract at every step; knows no game."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby

from engine import Audience, Card, Choice, Game, Move, Options, Plain, Standing, View
from tests.engine.driver import Choose, Silent, Table


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
    lines += [f"before: {name} = {_plain(value)}" for name, value in _pairs(game, standing)]
    seen: dict[str, str] = {}
    for step in table.play():
        lines += ["", f"## step {step.number}: {step.kind}"]
        if step.silent:
            lines.append(f"falls silent: {_numbers(step.silent)}")
        lines += observe(table, seen)
        for seat, move in table.moves:
            lines.append(f"has moved: seat {seat} {_plain(move)}")
        table.moves.clear()
    lines += ["", "## result", f"outcome: {table.outcome.value}"]
    if game.over(table.state):
        standing = game.settle(table.state)
        lines += [f"story: {line}" for line in game.describe(table.state)]
        lines += [f"standing: {name} = {_plain(value)}" for name, value in _pairs(game, standing)]
        lines.append(f"match: {game.match(options, standing, present)}")
    return lines, standing


def observe(table: Table, seen: dict[str, str]) -> list[str]:
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
            objection = game.objection(view, table.choose(seat, view))
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
