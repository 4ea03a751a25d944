"""A record's verification in plain words: what each step was, and what was checked of it."""

from __future__ import annotations

from collections.abc import Sequence

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
    "lock": "{who} sealed their own cards to the others",
    "result": "{who} confirmed the same result, which follows from the record",
    "sit": "{who} said whether they play on",
}


def place(lane: int, step: int) -> str:
    """Where a step is in the record."""
    return f"step {step} at the table" if lane == 0 else f"step {step} of pack {lane}"


class Walk:
    """Turns checked steps into lines; counts hands as they begin."""

    def __init__(self, players: Sequence[str]) -> None:
        self._players = players
        self._hand = 0

    def line(self, step: CheckedStep) -> str:
        """One line for one step."""
        if step.kind == "ready":
            self._hand += 1
        everybody = len(step.seats) == len(self._players)
        names = [self._players[seat] for seat in step.seats]
        who = f"all {len(names)}" if everybody else listed(names)
        words = _WORDS.get(step.kind, "{who}: " + step.kind).format(who=who)
        proofs = ""
        if step.proofs:
            holds = "holds" if step.proofs == 1 else "hold"
            proofs = f"; {count(step.proofs, 'proof')} {holds}"
        where = f"pack {step.lane}" if step.lane else f"hand {self._hand}"
        return f"{where}, step {step.step}: {words}{proofs}"


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
