"""A record's verification in plain words: what each step was, and what was checked of it."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Claim, Move
from protocol.checked import CheckedMove
from protocol.errors import PeerFault
from protocol.verifier import CheckedStep
from ui.wording import count, listed

_WORDS = {
    "commit": "{who} fixed key share and shuffle, still hidden",
    "open": "{who} opened key shares and shuffle commitments",
    "mix": "{who} shuffled the pack",
    "prove": "{who} proved that each shuffle only changed the order",
    "ready": "{who} stand on the same history, the hand begins",
    "shares": "{who} opened their shares of the cards that the rules grant",
    "move": "{who} chose, as the rules allow",
    "lock": "{who} sealed shares to the others, who can open them together if a seat goes",
    "result": "{who} confirmed the same result, which follows from the record",
    "sit": "{who} said whether they play on",
    "back": "{who} came back to the table",
}

_SITS = {"out": "{} sits out", "leave": "{} leaves"}

_SUITS = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}


def place(lane: int, step: int) -> str:
    """Where a step is in the record."""
    return f"step {step} at the table" if lane == 0 else f"step {step} of pack {lane}"


class Walk:
    """Turns checked steps into lines."""

    def __init__(self, players: Sequence[str], pack: Sequence[str] = ()) -> None:
        self._players = players
        self._pack = pack

    def line(self, step: CheckedStep) -> str:
        """One line for one step."""
        silent = {seat for seat, _ in step.absent}
        names = [self._players[seat] for seat in step.seats if seat not in silent]
        everybody = len(names) == len(self._players)
        who = f"all {len(names)}" if everybody else listed(names)
        words = _WORDS.get(step.kind, "{who}: " + step.kind).format(who=who)
        words = "; ".join([words + self._more(step)] * bool(names) + self._absences(step))
        if step.caught:
            bad = listed([self._players[seat] for seat in step.caught])
            words += f"; what {bad} said is not valid, and counts as gone from here on"
        if step.proofs:
            words += f"; {count(step.proofs, 'proof')} {'holds' if step.proofs == 1 else 'hold'}"
        return f"{_where(step)}, step {step.step}: {words}"

    def _absences(self, step: CheckedStep) -> list[str]:
        """Who was declared gone, and by whom."""
        return [
            f"{self._players[seat]} was declared gone by {listed([self._players[s] for s in by])}"
            for seat, by in step.absent
        ]

    def _more(self, step: CheckedStep) -> str:
        """What was chosen."""
        sits = [
            _SITS[said].format(self._players[s]) for s, said in step.details.sits if said != "in"
        ]
        if sits:
            return f": {listed(sits)}"
        if len(step.details.moves) > 1:
            kinds = dict.fromkeys(str(one.move[0]) for one in step.details.moves)
            return f" ({', '.join(kinds)})"
        return "".join(self._move(one) for one in step.details.moves)

    def _move(self, one: CheckedMove) -> str:
        """One choice with what can be seen of it."""
        words = f": {spoken(one)}"
        if one.blind and one.move[0] != "look":
            words += " (blind: too few shares were out for this seat to see a card)"
        hidden = len(one.slots) - len(one.opened)
        if hidden:
            words += f", and gave its shares of {count(hidden, 'card')} of others"
        return words + "".join(f", and proved that {self._claim(claim)}" for claim in one.claims)

    def _claim(self, one: Claim) -> str:
        suits = dict.fromkeys(card[-1] for card in one.forbidden)
        whole = [card for card in self._pack if card[-1] in suits]
        if set(whole) == set(one.forbidden):
            what = " or a ".join(_SUITS.get(suit, suit) for suit in suits)
        else:
            what = " or ".join(one.forbidden)
        left = len(one.slots)
        return (
            f"the hidden card left is not a {what}"
            if left == 1
            else (f"none of the {left} hidden cards left is a {what}")
        )


def spoken(one: CheckedMove) -> str:
    """A move in words: its kind, and the cards or the number that it names."""
    cards = [card for _, card in one.opened]
    return said(one.move, cards)


def said(move: Move, cards: Sequence[str] = ()) -> str:
    """The kind of a move with the cards that it opened, else with its number."""
    kind, *rest = move
    if cards:
        return f"{kind} {' '.join(cards)}"
    numbers = [str(item) for item in rest if isinstance(item, int)]
    return " ".join([str(kind), *numbers])


def fault_line(fault: PeerFault, players: Sequence[str]) -> str:
    """What is wrong in one sentence: where, who, and which rule."""
    parts = []
    if fault.lane is not None and fault.step is not None:
        parts.append(place(fault.lane, fault.step))
    if fault.seat is not None:
        name = f" ({players[fault.seat]})" if fault.seat < len(players) else ""
        parts.append(f"seat {fault.seat}{name}")
    where = ", ".join(parts)
    return f"{where}: {fault}" if where else str(fault)


def _where(step: CheckedStep) -> str:
    if step.lane:
        return f"pack {step.lane}"
    details = step.details
    return f"before hand {details.hand}" if details.between else f"hand {details.hand}"
