"""The moments at which seats lie at Azi, told by what is going on at the table."""

from __future__ import annotations

from collections.abc import Callable

from engine.azi.pack import denied
from engine.cards import suit
from tests.protocol.azi_claims import claims_of, revokes, seen_revokes
from tests.protocol.azi_stage import Moment

Wanted = Callable[[Moment], bool]


def of_kind(kind: str, phase: str = "") -> Wanted:
    """An entry of this kind, in this phase of the game."""
    return lambda m: m.kind == kind and (not phase or m.phase == phase)


def bids(m: Moment) -> bool:
    """A seat is asked to bid."""
    return m.kind == "move" and m.phase == "bid"


def opens(m: Moment) -> bool:
    """A seat must open."""
    return bids(m) and m.azi.highest == 0


def answers(m: Moment) -> bool:
    """A seat must answer a bid, and may bid itself."""
    return bids(m) and m.azi.highest > 0 and m.seat not in m.azi.yielded


def answers_among_three(m: Moment) -> bool:
    """The same, and its fold would leave two seats in."""
    return answers(m) and len(m.azi.inside) > 2


def has_levelled(m: Moment) -> bool:
    """A seat that has given up the lead is asked again."""
    return bids(m) and m.seat in m.azi.yielded


def has_bid_thrice(m: Moment) -> bool:
    """A seat that has used its three bids is asked again."""
    return bids(m) and m.azi.bids_made[m.seat] == 3


def has_looked(m: Moment) -> bool:
    """A seat that has seen its cards is asked to answer."""
    return answers(m) and m.seat in m.azi.seen


def is_blind(m: Moment) -> bool:
    """A seat that has not looked is asked to answer."""
    return answers(m) and m.azi.is_blind(m.seat)


def folds(m: Moment) -> bool:
    """A seat folds and gives its shares of cards that others have not seen."""
    return m.move == ("fold",) and m.envelope.payload[1] != ()


def leads(m: Moment) -> bool:
    """A seat leads a trick."""
    return m.kind == "move" and m.phase == "play" and not m.azi.trick


def plays_on(m: Moment) -> bool:
    """A seat plays its second card."""
    return m.kind == "move" and m.phase == "play" and len(m.cards) == 2


def denies(m: Moment) -> bool:
    """A seat honestly claims that it cannot follow."""
    return m.kind == "move" and m.phase == "play" and m.envelope.payload[2] != ()


def denies_two(m: Moment) -> bool:
    """A seat honestly claims so of two slots."""
    return denies(m) and len(m.cards) == 3


def could_revoke(m: Moment) -> bool:
    """A seat could follow and has something else."""
    return m.kind == "move" and m.phase == "play" and bool(revokes(m.azi, m.cards))


def could_keep_back(rule: str) -> Wanted:
    """The dealer could keep the turned-up card back though it must follow (or trump) with it."""

    def wanted(m: Moment) -> bool:
        if m.kind != "move" or m.phase != "play" or not m.azi.trick:
            return False
        follows = suit(m.azi.trick[0].card) == m.azi.trump
        return bool(seen_revokes(m.azi, m.cards)) and follows == (rule == "follow")

    return wanted


def could_revoke_by(trump: bool) -> Wanted:
    """A seat could revoke with (or without) a trump."""

    def wanted(m: Moment) -> bool:
        if not could_revoke(m):
            return False
        suits = [suit(m.cards[slot]) == m.azi.trump for slot in revokes(m.azi, m.cards)]
        return trump in suits

    return wanted


def could_hide_a_trump(m: Moment) -> bool:
    """A seat cannot follow, holds a trump and another card."""
    if not could_revoke(m):
        return False
    led = suit(m.azi.trick[0].card)
    return led != m.azi.trump and led not in map(suit, m.cards.values())


def could_replay(m: Moment) -> bool:
    """A seat could revoke after somebody has claimed as much."""
    if not could_revoke(m):
        return False
    before = [one for one in m.course.moments if one.place < m.place and denies(one)]
    slot = revokes(m.azi, m.cards)[0]
    suits = denied(m.cards[slot], suit(m.azi.trick[0].card), m.azi.trump)
    count = 27 - 9 * len(suits)
    return any(len(claims_of(one.envelope.payload)[0][0][2]) == 32 * count for one in before)


def dealt(m: Moment) -> bool:
    """The cards are dealt, and the seat is not the one that opens."""
    return m.kind == "shares" and m.phase == "deal" and m.seat != m.azi.opener


def locks(m: Moment) -> bool:
    """Locks are due, and the seat is not the one that opens."""
    return m.kind == "lock" and m.seat != m.azi.opener


def helps_to_look(m: Moment) -> bool:
    """Another seat looks at its cards."""
    return m.kind == "shares" and m.phase == "bid"


def helps_all_to_look(m: Moment) -> bool:
    """The bidding is over, and all that are blind look."""
    return m.kind == "shares" and m.phase == "play"


def is_asked(m: Moment) -> bool:
    """A seat is asked whether it buys in."""
    return m.kind == "move" and m.hand.is_interlude


def again_ready(m: Moment) -> bool:
    """READY for the second hand."""
    return m.kind == "ready" and m.table.hand_number == 2
