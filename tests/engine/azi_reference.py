"""Azi reckoned a second time, as simply as can be, from the rules' text and the moves alone.

Nothing of ``engine/azi`` is used. ``Azi`` is told what happens (who is there, who does what, which
card is played) and reckons whose turn it is, what may be done, who leads, who takes a trick, and
where every chip lies. It is changed in place and believes what it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

RANKS = "AKQJT9876"
SUITS = "SHDC"


def order(card: str) -> tuple[int, int]:
    """The place in the total order: rank first, then S H D C; the smaller, the higher."""
    return RANKS.index(card[0]), SUITS.index(card[1])


def best(plays: Sequence[tuple[int, str]], trump: str, six_on_stage: bool) -> int:
    """The seat that takes a trick: the highest trump, else the highest of the led suit."""
    led = plays[0][1][1]

    def strength(card: str) -> tuple[int, int]:
        if card[1] == trump:
            return 2, (99 if six_on_stage and card[0] == "6" else -RANKS.index(card[0]))
        return (1 if card[1] == led else 0), -RANKS.index(card[0])

    return max(plays, key=lambda play: strength(play[1]))[0]


def playable(hand: Iterable[str], led: str, trump: str) -> list[str]:
    """Follow if you can, else trump if you can, else anything; ``led`` empty: leading."""
    cards = list(hand)
    for suit in (led, trump):
        if led and any(card[1] == suit for card in cards):
            return [card for card in cards if card[1] == suit]
    return cards


def lowest(cards: Iterable[str], trump: str) -> str:
    """The card that a late seat plays or discards: the lowest in the total order, trumps last."""
    return max(cards, key=lambda card: (card[1] != trump, order(card)))


def denied(card: str, led: str, trump: str) -> set[str]:
    """The suits that a card, played to a led one, says its hand has no more of."""
    if not led or card[1] == led:
        return set()
    return {led} if trump in (led, card[1]) else {led, trump}


def divided(amount: int, shares: Sequence[tuple[int, int]]) -> dict[int, int]:
    """An amount by (seat, share): whole chips, odd ones by largest remainder, then as listed."""
    whole = sum(share for _, share in shares)
    exact = {
        seat: Fraction(amount * share, whole) if whole else Fraction(0) for seat, share in shares
    }
    given = {seat: int(part) for seat, part in exact.items()}
    by_remainder = sorted(exact, key=lambda seat: given[seat] - exact[seat])  # stable: as listed
    for seat in by_remainder[: amount - sum(given.values()) if whole else 0]:
        given[seat] += 1
    return given


def split(
    paid: Mapping[int, int], carried: int, winner: int, short: bool, mode: str, seats: int
) -> dict[int, int]:
    """What each seat gets of the bank: ``paid`` are the contributions, ``carried`` nobody's."""
    total = sum(paid.values())
    others = [s % seats for s in range(winner + 1, winner + seats) if s % seats in paid]
    if not short:
        return {winner: total + carried}
    if mode == "matched":
        back = {seat: max(0, paid[seat] - paid[winner]) for seat in others}
    else:
        highest = max(paid.values())
        won = min(total, total * paid[winner] // highest) if highest else 0
        back = divided(total - won, [(seat, paid[seat]) for seat in others])
    return {**back, winner: carried + total - sum(back.values())}


@dataclass
class Hand:
    """One game. ``order``: the seats dealt in, the opener first, clockwise."""

    order: list[int]
    trump: str = ""
    six_on_stage: bool = False
    phase: str = "deal"
    paid: dict[int, int] = field(default_factory=dict)
    level: dict[int, int] = field(default_factory=dict)
    bids: dict[int, int] = field(default_factory=dict)
    yielded: set[int] = field(default_factory=set)
    inside: list[int] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    blind: set[int] = field(default_factory=set)
    unseen: set[int] = field(default_factory=set)
    discarded: set[int] = field(default_factory=set)
    gave: set[int] = field(default_factory=set)
    highest: int = 0
    bidder: int | None = None
    asked: int = 0
    turn: int | None = None
    leader: int | None = None
    looking: bool = False
    tricks: list[tuple[list[tuple[int, str]], int]] = field(default_factory=list)
    trick: list[tuple[int, str]] = field(default_factory=list)

    def after(self, seat: int, among: Iterable[int]) -> int | None:
        """The next seat clockwise, strictly after this one, of those among; None: there is none."""
        at = self.order.index(seat)
        found = [s for s in (*self.order[at + 1 :], *self.order[: at + 1]) if s in among]
        return found[0] if found else None

    def taken(self, seat: int) -> int:
        """How many tricks a seat has."""
        return sum(winner == seat for _, winner in self.tricks)

    def short(self, seat: int) -> bool:
        """Whether a seat's level is below the one to answer, or below another's."""
        return self.level[seat] < max([self.highest, *(self.level[s] for s in self.inside)])


class Azi:
    """A match. The money between hands, and the hand in play."""

    def __init__(self, options: Mapping[str, int | str], seats: int) -> None:
        def number(name: str) -> int:
            value = options[name]
            assert isinstance(value, int)
            return value

        self.seats = seats
        self.ante, self.min_bid = number("ante"), number("min_bid")
        self.step, self.max_bid = number("raise_step"), number("max_bid")
        self.hands, self.cards = number("hands"), number("cards")
        self.blind_bids = options["blind"] == "on"
        self.reraise = options["callers_may_reraise"] == "on"
        self.mode, self.azi_entry = str(options["short_stack"]), str(options["azi_entry"])
        self.stacks = [number("stack")] * seats
        self.carried = 0
        self.winner: int | None = None
        self.entry = ""
        self.heirs: set[int] = set()
        self.bought: set[int] = set()
        self.azi_bank = 0
        self.opener: int | None = None
        self.free = False
        self.played = 0
        self.hand: Hand | None = None
        self.outcome = ""
        """How the last game ended: won, azi, void or spent."""

    # Between games

    @property
    def bank(self) -> int:
        """Everything that is in no stack."""
        return self.carried + (sum(self.hand.paid.values()) if self.hand else 0)

    @property
    def price(self) -> int:
        """To buy in after an azi: half the bank as it stood then, rounded up."""
        return -(-self.azi_bank // 2)

    def clockwise(self, first: int | None) -> list[int]:
        """All seats of the table, from one on."""
        start = first or 0
        return [seat % self.seats for seat in range(start, start + self.seats)]

    def buyers(self, present: Iterable[int]) -> list[int]:
        """Who is asked to buy in, in order."""
        if self.entry != "azi" or self.azi_entry != "half_pot":
            return []
        there = set(present) - self.heirs - self.bought
        can = [seat for seat in there if self.stacks[seat] >= max(1, self.price)]
        return [seat for seat in self.clockwise(self.opener) if seat in can]

    def buy(self, seat: int) -> None:
        """A seat buys in."""
        self.stacks[seat] -= self.price
        self.carried += self.price
        self.bought.add(seat)

    def can_play(self, present: Iterable[int]) -> list[int]:
        """Who plays the next game, were they enough."""
        there = set(present)
        paying = {seat for seat in there if self.stacks[seat] >= max(1, self.ante)}
        if self.entry == "":
            return sorted(paying)
        if self.entry == "again" or self.azi_entry == "trick_takers_only":
            return sorted(there & self.heirs)
        if self.azi_entry == "half_pot":
            return sorted(there & (self.heirs | self.bought))
        return sorted(there & self.heirs | paying)

    def between(self, present: Iterable[int]) -> None:
        """What becomes of a carried bank that fewer than two can play for."""
        can = self.can_play(present)
        if len(can) > 1 or (not self.carried and not self.entry):
            return
        if self.carried and len(can) == 1:
            self.stacks[can[0]] += self.carried
            self.winner = can[0]
            self._no_bank()
        elif self.carried:
            self._to_heirs()
        else:
            self._no_bank()

    def _to_heirs(self) -> None:
        """The carried bank in equal parts, odd chips clockwise from the opener.

        A bank without heirs belongs to the whole table.
        """
        shared = self.heirs or set(range(self.seats))
        heirs = [seat for seat in self.clockwise(self.opener) if seat in shared]
        for place, seat in enumerate(heirs):
            self.stacks[seat] += (self.carried + len(heirs) - 1 - place) // len(heirs)
        self._no_bank()

    def _no_bank(self) -> None:
        self.carried = self.azi_bank = 0
        self.entry, self.heirs, self.bought = "", set(), set()
        self.opener, self.free = None, False

    def ended(self, present: Iterable[int]) -> str:
        """Why the match is over; empty: it is not."""
        if self.hands and self.played >= self.hands:
            return "hands"
        if not self.carried and sum(stack > 0 for stack in self.stacks) == 1:
            return "chips"
        if not self.carried and len(self.can_play(present)) < 2:
            return "few"
        return ""

    def richest(self) -> list[int]:
        """Who has the most."""
        return [seat for seat in range(self.seats) if self.stacks[seat] == max(self.stacks)]

    # A game

    @property
    def now(self) -> Hand:
        """The hand in play."""
        assert self.hand is not None
        return self.hand

    def deal(self, seats: Sequence[int], coin: int) -> None:
        """The antes are paid and the opener is known."""
        first = seats[coin % len(seats)]
        if self.winner is not None:
            first = next(s for s in self.clockwise(self.winner + 1) if s in seats)
        order = [seat for seat in self.clockwise(first) if seat in seats]
        self.hand = hand = Hand(order, inside=list(order))
        for seat in order:
            hand.paid[seat] = hand.level[seat] = hand.bids[seat] = 0
            if not self.free:
                self._pay(seat, self.ante)
        hand.blind = set(order) if self.blind_bids else set()
        hand.unseen = set(hand.blind)

    def _pay(self, seat: int, amount: int) -> int:
        """As much of it as there is."""
        paid = min(amount, self.stacks[seat])
        self.stacks[seat] -= paid
        self.now.paid[seat] += paid
        return paid

    def _stake(self, seat: int, levels: int) -> None:
        """Pays for so many levels (half of it while blind), or what is left."""
        weight = 2 if seat in self.now.blind else 1
        self.now.level[seat] += weight * self._pay(seat, levels // weight)

    def dealt(self, turned_up: str) -> None:
        """The cards are there."""
        self.now.trump = turned_up[1]
        self.now.six_on_stage = turned_up[0] == "A"
        self.now.phase = "discard" if self.cards == 4 else "bid"
        self._go_on()

    def lost_deal(self, gone: set[int]) -> None:
        """Seats went before the cards were dealt: the pack is spent, or one takes the bank."""
        hand = self.now
        bank, n = self.bank, len(hand.order)
        hand.gone |= gone
        rest = [seat for seat in hand.order if seat not in gone]
        fees = self._fees()
        if len(rest) == 1:
            self._win(rest[0], whole=True)
            return
        for seat in hand.order:
            if seat not in gone or not rest:
                self.stacks[seat] += hand.paid[seat]
                continue
            self.carried += hand.paid[seat]
            if n > 2:
                penalty = min(self.stacks[seat], max(0, -(-bank // (n - 2)) - fees.get(seat, 0)))
                self.stacks[seat] -= penalty
                self.carried += penalty
        self.hand, self.outcome = None, "void"
        if rest:
            self.opener, self.outcome = hand.order[0], "spent"
            self.entry, self.heirs = "again", set(rest)

    def _fees(self) -> dict[int, int]:
        """What gone seats pay to which the opening has come: each as if it were late."""
        hand = self.now
        fees: dict[int, int] = {}
        while hand.highest == 0 and hand.asked < len(hand.order):
            seat = hand.order[hand.asked]
            if seat not in hand.gone:
                break
            fees[seat] = self._late_opening(seat)
            hand.asked += 1
        return fees

    def leave(self, gone: set[int]) -> None:
        """Seats have gone: folded; one that is to open pays as if it were late."""
        hand = self.now
        hand.gone |= gone
        hand.inside = [seat for seat in hand.inside if seat not in gone]
        if hand.phase in ("discard", "bid"):
            self._fees()
        if not hand.inside or self._sealed_for_good():
            self._void()
        elif len(hand.inside) == 1 or not self._waiting():
            self._go_on()

    def _waiting(self) -> bool:
        """Whether somebody looks whose cards are not there yet."""
        return bool((self.now.unseen - self.now.blind) & set(self.now.inside))

    def _sealed_for_good(self) -> bool:
        """Whether a card that must still open is under the lock of a seat that nobody can open."""
        hand = self.now
        if not self.blind_bids or len(hand.order) == 2 or len(hand.inside) < 2:
            return False
        waiting = hand.unseen & set(hand.inside)
        return bool(waiting) and len(hand.gone) > 1 and bool(hand.gone - hand.gave)

    def _void(self) -> None:
        hand = self.now
        for seat, paid in hand.paid.items():
            if seat in hand.gone and set(hand.order) - hand.gone:
                self.carried += paid
            else:
                self.stacks[seat] += paid
        if self.entry == "":
            self.heirs = set(hand.order) - hand.gone
            self.opener = hand.order[0]
        self.hand, self.outcome = None, "void"

    def discard(self, seat: int) -> None:
        """A seat has put a card away."""
        self.now.discarded.add(seat)
        self._go_on()

    def look(self, seat: int) -> None:
        """A seat looks at its cards in its turn; it goes on once they are there."""
        self.now.blind.discard(seat)
        self.now.turn = None

    def bid(self, seat: int, total: int) -> None:
        """A seat bids."""
        self._stake(seat, total - self.now.level[seat])
        self.now.highest, self.now.bidder = total, seat
        self.now.bids[seat] += 1
        self._acted(seat)

    def levels(self, seat: int) -> None:
        """A seat levels and gives up the lead."""
        self._stake(seat, self.now.highest - self.now.level[seat])
        self.now.yielded.add(seat)
        self._acted(seat)

    def fold(self, seat: int) -> None:
        """A seat folds."""
        self.now.inside.remove(seat)
        self.now.gave.add(seat)
        self._acted(seat)

    def late(self, seat: int) -> None:
        """The seat that had to open did not."""
        self._late_opening(seat)
        self.fold(seat)

    def _late_opening(self, seat: int) -> int:
        """``min_bid`` or what is left; it is no bid that others answer."""
        return self._pay(seat, self.min_bid // (2 if seat in self.now.blind else 1))

    def _acted(self, seat: int) -> None:
        self.now.asked = self.now.order.index(seat) + 1
        self._go_on()

    def _go_on(self) -> None:
        """Whose turn it is, or what follows when it is nobody's."""
        hand = self.now
        hand.turn = None
        if hand.phase == "deal":
            return
        if len(hand.inside) == 1:
            self._win(hand.inside[0], whole=True)
            return
        if hand.phase == "discard":
            if hand.discarded >= set(hand.inside):
                hand.phase = "bid"
            else:
                return
        if hand.phase == "bid":
            hand.turn = self._to_open() if hand.highest == 0 else self._to_answer()
            if hand.turn is not None:
                return
            hand.looking = bool(hand.blind & set(hand.inside))
            first = hand.order[-1] if hand.bidder is None else hand.bidder
            leads = hand.bidder in hand.inside
            hand.leader = hand.bidder if leads else hand.after(first, hand.inside)
            hand.phase = "play"
        self._trick()

    def _to_open(self) -> int | None:
        """The opener, or who opens in its place.

        Who has less than ``min_bid`` goes in with all of it; one who is gone when its turn to open
        comes pays as one who is late.
        """
        hand = self.now
        while hand.asked < len(hand.order):
            seat = hand.order[hand.asked]
            reach = self.stacks[seat] * (2 if seat in hand.blind else 1)
            if seat in hand.inside and reach >= self.min_bid:
                return seat
            if seat in hand.inside:
                self._stake(seat, reach)
            elif seat in hand.gone:
                self._late_opening(seat)
            hand.asked += 1
        return None

    def _to_answer(self) -> int | None:
        """The next seat in, clockwise of who acted last, that is below the highest bid."""
        hand = self.now
        owing = {
            seat
            for seat in hand.inside
            if self.stacks[seat] > 0 and hand.level[seat] < hand.highest
        }
        return hand.after(hand.order[hand.asked - 1], owing)

    def may_bid(self, seat: int) -> tuple[int, int] | None:
        """The least and the most that a seat may bid in its turn; None: it may not."""
        hand = self.now
        least = self.min_bid if hand.highest == 0 else hand.highest + self.step
        most = hand.level[seat] + self.stacks[seat] * (2 if seat in hand.blind else 1)
        if self.blind_bids:
            most -= most % 2
        if self.max_bid:
            most = min(most, self.max_bid)
        barred = hand.bids[seat] == 3 or (seat in hand.yielded and not self.reraise)
        return None if barred or most < least else (least, most)

    def may(self, seat: int) -> set[str]:
        """What a seat may do in its turn to bid, bids aside."""
        hand = self.now
        kinds = {"look"} if seat in hand.blind else set()
        return kinds if hand.highest == 0 else kinds | {"level", "fold"}

    # Tricks

    def seen(self) -> None:
        """The cards of who looked are there; after the bidding, those of everybody in."""
        hand = self.now
        if hand.looking:
            hand.blind -= set(hand.inside)
            hand.looking = False
        hand.unseen &= hand.blind
        self._go_on()

    def _trick(self) -> None:
        """Whose turn it is in the trick; a trick that all have played to is taken."""
        hand = self.now
        hand.turn = None
        if hand.looking:
            return
        if len(hand.inside) == 1:
            self._win(hand.inside[0], whole=True)
            return
        assert hand.leader is not None
        at = hand.order.index(hand.leader)
        around = (*hand.order[at:], *hand.order[:at])
        played = [seat for seat, _ in hand.trick]
        last = around.index(played[-1]) if played else -1
        waiting = [seat for seat in around[last + 1 :] if seat in hand.inside]
        if waiting:
            if not played:
                hand.leader = waiting[0]
            hand.turn = waiting[0]
            return
        taker = best(hand.trick, hand.trump, hand.six_on_stage)
        hand.tricks.append((hand.trick, taker))
        hand.trick = []
        hand.leader = taker
        if taker in hand.inside and hand.taken(taker) == 2:
            self._win(taker, whole=not hand.short(taker))
        elif len(hand.tricks) == 3:
            self._azi()
        else:
            self._trick()

    def play(self, seat: int, card: str) -> None:
        """A seat plays a card."""
        self.now.trick.append((seat, card))
        self._trick()

    def _win(self, seat: int, whole: bool) -> None:
        hand = self.now
        got = split(hand.paid, self.carried, seat, not whole, self.mode, self.seats)
        for taker, chips in got.items():
            self.stacks[taker] += chips
        self.winner = seat
        self.played += 1
        self.hand, self.outcome = None, "won"
        self._no_bank()

    def _azi(self) -> None:
        hand = self.now
        self.carried = self.azi_bank = self.bank
        self.heirs = {seat for seat in hand.inside if hand.taken(seat)} or set(hand.inside)
        self.bought = set()
        self.opener = hand.order[0]
        self.entry, self.free = "azi", self.azi_entry != "all_ante"
        self.played += 1
        self.hand, self.outcome = None, "azi"
        if self.hands and self.played >= self.hands:
            self._to_heirs()
