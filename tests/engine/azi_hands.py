"""Games of Azi to begin a test with: a state at any phase, from hands and moves as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine import Card, IllegalMove, Move, Options, Seat, Slot, State, complete
from engine.azi import GAME
from engine.azi.standing import AziStanding
from engine.azi.state import AziState
from engine.azi.view import AziView

ALL = frozenset(range(6))


def options(**given: int | str) -> Options:
    """The complete options of a table, but for these the defaults."""
    return complete(GAME.options, given)


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a line of text."""
    return tuple(text.split())


def deck(hands: Sequence[str], turned_up: Card = "QH", size: int = 3) -> dict[Slot, Card]:
    """All faces by slot: the hands in order, then what is turned up, then the rest of the pack."""
    held = [card for hand in hands for card in cards(hand)]
    assert len(held) == size * len(hands)
    if turned_up not in held:
        held.append(turned_up)
    rest = [card for card in GAME.pack(options()) if card not in held]
    return dict(enumerate([*held, *rest]))


THREE = ("AS 7D 6H", "7S AD 8H", "6S 8D AH")
"""Three hands in which each seat can take one trick; with ``deck`` the trump is hearts."""


def standing(*stacks: int, **fields: object) -> AziStanding:
    """What is carried to the next game: stacks, and any other field by name."""
    return replace(AziStanding(stacks), **fields)  # type: ignore[arg-type]


def start(
    chosen: Options, before: AziStanding, seats: Sequence[Seat] = (), coin: int = 0
) -> AziState:
    """A game at the deal; without ``seats`` those that can play it."""
    dealt = tuple(seats) or GAME.dealt_in(chosen, before, ALL)
    return game(GAME.start(chosen, dealt, before, coin))


def game(state: object) -> AziState:
    """The state of a game as Azi's own."""
    assert isinstance(state, AziState)
    return state


def dealt(state: AziState, faces: Mapping[Slot, Card]) -> AziState:
    """The state once locks and cards are there."""
    if GAME.locks(state):
        state = game(GAME.locked(state, frozenset()))
    return game(GAME.shown(state, faces))


def move_of(told: str, faces: Mapping[Slot, Card]) -> tuple[Seat, Move]:
    """``"0 bid 10"`` or ``"1 play KS"`` as seat and move."""
    seat, kind, *rest = told.split()
    if kind in ("play", "discard"):
        return int(seat), (kind, {card: slot for slot, card in faces.items()}[rest[0]])
    return int(seat), (kind, *map(int, rest))


def moved(state: AziState, told: str, faces: Mapping[Slot, Card]) -> AziState:
    """Moves one after the other, divided by commas; cards of a look arrive at once.

    ``"1 gone"`` is a seat that has gone; discards of all come together.
    """
    entries: dict[Seat, Move] = {}
    for one in filter(None, map(str.strip, told.split(","))):
        if one.endswith("gone"):
            after, _ = GAME.absent(state, frozenset({int(one.split()[0])}), faces)
            state = game(after)
        else:
            seat, move = move_of(one, faces)
            GAME.claims(state, seat, move, faces)
            entries[seat] = move
            if entries.keys() >= GAME.owed(state).keys():
                state = game(GAME.apply(state, entries, faces))
                entries = {}
        if state.looking:
            state = game(GAME.shown(state, faces))
    return state


def at_bid(
    *stacks: int,
    told: str = "",
    hands: Sequence[str] = THREE,
    turned_up: Card = "QH",
    coin: int = 0,
    **given: int | str,
) -> AziState:
    """A game of so many stacks after these moves; the opener is seat ``coin``."""
    chosen = options(**given)
    state = start(chosen, standing(*stacks), coin=coin)
    faces = deck(hands, turned_up, state.rules.cards)
    return moved(dealt(state, faces), told, faces)


def view(state: State, seat: Seat | None, faces: Mapping[Slot, Card] | None = None) -> AziView:
    """What a seat sees where all faces are there that its audience allows; none by default."""
    found = GAME.view(state, seat, faces or {})
    assert isinstance(found, AziView)
    return found


def refused(state: AziState, told: str, faces: Mapping[Slot, Card]) -> str:
    """The code by which a move is refused by all; empty if it is not."""
    seat, move = move_of(told, faces)
    try:
        GAME.needs(state, seat, move)
        GAME.claims(state, seat, move, faces)
    except IllegalMove as illegal:
        return illegal.rule
    return ""
