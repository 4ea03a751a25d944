"""What holds of every match of Azi: any options, any legal moves, any seats gone at any step.

Invariants: stacks and bank together never change; a second reckoning from the rules' text finds
the same turns, the same choices and the same money after every step; what ``legal`` names is
accepted by all, and nothing else is; no public value tells a hidden card.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Card, Claim, IllegalMove, Move, Outcome, Plain, Seat, Standing, View
from engine.azi import GAME
from engine.azi.moves import CHOICES, REFUSALS
from engine.azi.view import AziView
from engine.cards import is_card
from tests.engine.azi_chance import ByChance, moves_of, packs, some_options, some_present
from tests.engine.azi_reference import Azi, Hand, denied, lowest, playable, split
from tests.engine.driver import Choose, Match, Step, Table

JUNK: tuple[object, ...] = (
    (),
    ("bid",),
    ("bid", True),
    ("bid", "4"),
    ("bid", -2),
    ("bid", 0),
    ("bid", 2**63),
    ("bid", 4, 4),
    ("level", 1),
    ("fold", 0),
    ("late", 0),
    ("look", 0),
    ("play",),
    ("play", True),
    ("play", -1),
    ("play", 27),
    ("play", 0, 1),
    ("play", "AS"),
    ("discard",),
    ("discard", False),
    ("discard", -1),
    ("buy", 1),
    ("pass", 1),
    ("up",),
    ("BID", 4),
    (7,),
    (("bid",), 4),
    "fold",
    None,
    ["fold"],
)
"""What may come from the network and is never a move."""


def azi(view: View) -> AziView:
    """The view as Azi's own."""
    assert isinstance(view, AziView)
    return view


def pairs(plain: Plain) -> dict[str, Plain]:
    """Plain pairs of name and value as a mapping."""
    assert isinstance(plain, tuple)
    found: dict[str, Plain] = {}
    for pair in plain:
        assert isinstance(pair, tuple)
        name, value = pair
        assert isinstance(name, str)
        found[name] = value
    return found


def words(value: object) -> set[str]:
    """All texts in nested tuples."""
    if isinstance(value, tuple):
        return {word for item in value for word in words(item)}
    return {value} if isinstance(value, str) else set()


def cards_in(value: object) -> set[Card]:
    """All cards that nested tuples or a line of text name."""
    texts = value.replace(",", " ").split() if isinstance(value, str) else words(value)
    return {text for text in texts if is_card(text)}


def shown_by(view: AziView) -> set[Card]:
    """All cards that a view names, but for the list of the pack."""
    names = [name for name in AziView.__slots__ if name != "pack"]
    fields = [getattr(view, name) for name in (*View.__slots__, *names)]
    return {card for value in fields for card in cards_in(value)}


def within_limits(plain: Plain, depth: int = 0) -> bool:
    """Whether plain values keep to the shape that the contract allows."""
    if isinstance(plain, tuple):
        return depth < 6 and all(within_limits(item, depth + 1) for item in plain)
    if isinstance(plain, str):
        return len(plain) <= 32
    return type(plain) is int and 0 <= plain < 2**63


def judged(table: Table, seat: Seat, move: Move) -> IllegalMove | tuple[Claim, ...]:
    """How the others judge a move: a refusal by the rules, or what must be proved with it."""
    try:
        slots = GAME.needs(table.state, seat, move)
        faces = table.public()
        faces |= {k: table.deck[k] for k in slots if GAME.audience(table.state)[k].includes(seat)}
        return GAME.claims(table.state, seat, move, faces)
    except IllegalMove as illegal:
        return illegal


def accepted(table: Table, seat: Seat, move: Move) -> bool:
    """Whether the others would take this move: form, rule and what it claims are in order."""
    claims = judged(table, seat, move)
    if isinstance(claims, IllegalMove):
        assert claims.rule in REFUSALS
        assert (claims.seat, bool(claims.text)) == (seat, True)
        return False
    return not any(table.deck[slot] in claim.forbidden for claim in claims for slot in claim.slots)


def everything(view: AziView) -> list[Move]:
    """All moves of the right form that are near any that may be right, and some that are not."""
    moves: list[Move] = [(kind,) for kind in ("look", "level", "fold", "late", "buy", "pass")]
    moves += [(kind, slot) for kind in ("play", "discard") for slot in range(27)]
    top = view.highest
    amounts = {top - 1, top, top + view.raise_step, view.min_bid, view.max_bid}
    if view.seat is not None and view.phase == "bid":
        most = 2 * view.stacks[view.seat] + max(view.levels, default=0)
        amounts |= {most, most // 2, top + view.stacks[view.seat]}
    near = {amount + by for amount in amounts for by in (-2, -1, 0, 1, 2)}
    return [*moves, *(("bid", total) for total in sorted(near))]


@dataclass
class Watch:
    """A match of Azi played by chance, with the second reckoning beside it."""

    seed: int
    fully: bool = True
    hands: int = 0
    steps: int = 0
    ends: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The table that follows from the seed."""
        self.chance = random.Random(self.seed)
        self.options = some_options(GAME, self.chance)
        self.seats = self.chance.randint(2, 6)
        self.sum = self.seats * int(self.options["stack"])
        self.other = Azi(self.options, self.seats)
        self.silence = self.chance.choice((0, 0, 0.01, 0.04, 0.1))
        self.choose: Choose = ByChance(GAME, self.chance)
        if self.chance.random() < 0.1:
            self.choose = self.bot
        self.match = Match(
            GAME,
            self.options,
            self.seats,
            packs(self.options, self.chance),
            self.choose,
            GAME.opening(self.options, self.seats),
            coins=lambda number: self.coin(number),
            sit=some_present(self.chance, self.seats),
            late_at_ready=lambda number: self.lost(range(self.seats), 0.5),
            silent=lambda number: lambda step: self.lost(step.owing),
        )
        self.done = self.shown = 0
        self.gone: set[Seat] = set()

    def bot(self, seat: Seat, view: View) -> Move:
        """The bot ``random``, which the own program would let do what it does."""
        move = GAME.strategies["random"](view, self.chance.randrange)
        assert GAME.objection(view, move) is None
        return move

    def coin(self, number: int) -> int:
        """A coin of 256 bits."""
        return random.Random(self.seed * 1000 + number).getrandbits(256)

    def lost(self, seats: Iterable[Seat], factor: float = 1) -> frozenset[Seat]:
        """Seats that fall silent."""
        return frozenset(s for s in seats if self.chance.random() < factor * self.silence)

    def run(self, most: int = 25) -> Watch:
        """The match until its end, or so many hands."""
        playing = self.match.play()
        for table in playing:
            self.other_starts(table)
            last = "start"
            for step in table.play():
                self.other_hears(table, last)
                self.check(table, step)
                last = step.kind
            self.check_standing(table)
            if self.hands == most:
                return self
        self.check_end()
        return self

    # The second reckoning

    def other_starts(self, table: Table) -> None:
        """The other is told who sits down to what."""
        self.done, self.shown, self.gone = 0, 0, set()
        if table.is_interlude:
            self.asked = self.other.buyers(self.match.present)
            return
        self.hands += 1
        if not self.between_done:
            self.other.between(self.match.present)
        assert list(table.seats) == self.other.can_play(self.match.present)
        self.other.deal(table.seats, self.coin(self.match.number))

    between_done = False

    def other_hears(self, table: Table, kind: str) -> None:
        """What has happened in the step that was just carried out."""
        other, moves = self.other, table.moves[self.done :]
        new = table.gone - self.gone
        self.done, self.gone = len(table.moves), set(table.gone)
        if kind == "start":
            return
        if table.is_interlude:
            for seat, move in moves:
                assert self.asked.pop(0) == seat
                if move == ("buy",):
                    other.buy(seat)
            self.asked = [seat for seat in self.asked if seat not in new]
            return
        if new and other.now.phase == "deal":
            other.lost_deal(new)
        elif new:
            other.leave(new)
        for seat, move in moves:
            if other.hand is not None:
                self.other_moves(table, seat, move)
        if other.hand is not None and table.times_shown > self.shown:
            if other.hand.phase == "deal":
                other.dealt(str(azi(table.view(None)).turned_up))
            else:
                other.seen()
        self.shown = table.times_shown

    def other_moves(self, table: Table, seat: Seat, move: Move) -> None:
        """One move."""
        kind, *rest = move
        other = self.other
        if kind == "bid":
            (total,) = rest
            assert isinstance(total, int)
            other.bid(seat, total)
        elif kind == "play":
            (slot,) = rest
            assert isinstance(slot, int)
            other.play(seat, table.deck[slot])
        else:
            assert isinstance(kind, str)
            {
                "discard": other.discard,
                "look": other.look,
                "level": other.levels,
                "fold": other.fold,
                "late": other.late,
            }[kind](seat)

    # Checks

    def check(self, table: Table, step: Step) -> None:
        """All that holds before a step."""
        self.steps += 1
        self.check_money(table, step)
        self.check_turn(table)
        if step.kind == "over" or self.chance.random() < 0.3:
            self.check_secrets(table)
        if self.fully and self.chance.random() < 0.15:
            self.check_all_moves(table)
            self.check_blindness(table)
            if table.outcome is Outcome.GOES_ON:
                self.check_repeated(table)

    def check_money(self, table: Table, step: Step) -> None:
        """No chip comes or goes, and the other finds them in the same places."""
        view = azi(table.view(None))
        assert sum(view.stacks) + view.bank == self.sum
        assert min(view.stacks) >= 0
        assert view.bank >= view.carried >= 0
        if step.kind == "choice" and not table.is_interlude:
            hand = self.other.now
            assert list(view.stacks) == self.other.stacks
            assert (view.bank, view.carried) == (self.other.bank, self.other.carried)
            assert sorted(view.inside) == sorted(hand.inside)
            assert self.by_seat(view, view.contributions) == hand.paid
            assert self.by_seat(view, view.levels) == hand.level
            assert view.highest == hand.highest
            assert set(view.short) == {s for s in hand.inside if hand.short(s)}
            assert (view.opener, view.dealer) == (hand.order[0], hand.order[-1])
            assert self.by_seat(view, view.bids_made) == hand.bids
            assert set(view.yielded) == hand.yielded
            assert set(view.gone) == hand.gone
            assert dict(view.returns) == {s: self.takes(hand, s) for s in hand.inside}
            self.check_blind(table, hand)

    def takes(self, hand: Hand, seat: Seat) -> int:
        """What a seat would get of the bank, did it win now."""
        other = self.other
        short = hand.short(seat)
        return split(hand.paid, other.carried, seat, short, other.mode, self.seats)[seat]

    @staticmethod
    def check_blind(table: Table, hand: Hand) -> None:
        """Who has not looked sees nothing, and who has folded owes nobody a share any more."""
        audience = GAME.audience(table.state)
        for seat in hand.unseen & set(hand.inside):
            at = 3 * table.seats.index(seat)
            own = [slot for slot in range(at, at + 3) if not audience[slot].public]
            if seat in hand.blind:
                assert not any(audience[slot].includes(seat) for slot in own)
            if len(table.seats) > 2:
                for slot in own:
                    assert table.shares[slot] >= hand.gave - hand.gone - {seat}

    @staticmethod
    def by_seat(view: AziView, values: tuple[int, ...]) -> dict[Seat, int]:
        """A value for each seat dealt in, listed by table seat or by seat dealt in."""
        if len(values) == len(view.seats):
            return dict(zip(view.seats, values, strict=True))
        return {seat: values[seat] for seat in view.seats}

    def check_turn(self, table: Table) -> None:
        """The same seats owe the same kind of choice, and may do the same."""
        if GAME.over(table.state):
            assert table.is_interlude or self.other.hand is None
            return
        if table.is_interlude:
            assert dict(GAME.owed(table.state)) == {self.asked[0]: "buy"}
            view = azi(table.view(self.asked[0]))
            assert view.price == self.other.price
            assert GAME.late(view) == ("pass",)
            return
        hand = self.other.now
        owed = dict(GAME.owed(table.state))
        if hand.phase == "discard":
            assert owed == dict.fromkeys(hand.inside, "discard")
            for seat in hand.inside:
                self.check_discard(table, seat)
        elif owed:
            assert owed == {hand.turn: hand.phase}
            self.check_choices(table, hand.turn)
        if not owed:
            assert hand.phase == "deal" or hand.looking or hand.unseen - hand.blind

    @staticmethod
    def check_discard(table: Table, seat: Seat) -> None:
        """Any own card but the turned-up one may go; of a late seat it is the lowest."""
        view = azi(table.view(seat))
        may = {slot: card for slot, card in view.hand if card != view.turned_up}
        (choice,) = GAME.legal(view)
        assert set(choice.moves) == {("discard", slot) for slot in may}
        _, slot = GAME.late(view)
        assert isinstance(slot, int)
        assert may[slot] == lowest(may.values(), view.trump)

    def check_choices(self, table: Table, seat: Seat | None) -> None:
        """What the seat whose turn it is may do is what the other finds."""
        assert seat is not None
        view, hand = azi(table.view(seat)), self.other.now
        choices = {choice.kind: choice for choice in GAME.legal(view)}
        if hand.phase == "bid":
            least_most = self.other.may_bid(seat)
            amount = choices["bid"].amount if "bid" in choices else None
            assert (amount and amount[:2]) == least_most
            assert set(choices) - {"bid"} == self.other.may(seat)
            assert GAME.late(view) == (("fold",) if "fold" in choices else ("late",))
            return
        led = hand.trick[0][1][1] if hand.trick else ""
        cards = playable((card for _, card in view.hand), led, hand.trump)
        moves = {table.deck[slot] for _, slot in choices["play"].moves if isinstance(slot, int)}
        assert moves == set(cards)
        assert view.trick == tuple(hand.trick)
        assert view.leader == hand.leader
        assert [winner for *_, winner in view.tricks] == [winner for _, winner in hand.tricks]
        assert GAME.late(view) == ("play", table.deck.index(lowest(cards, hand.trump)))
        for slot, card in view.hand:
            self.check_claims(table, seat, slot, denied(card, led, hand.trump))

    @staticmethod
    def check_claims(table: Table, seat: Seat, slot: int, suits: set[str]) -> None:
        """A card says of the others that are hidden in its hand that they are of no such suit."""
        view = azi(table.view(seat))
        public = table.public()
        hidden = tuple(k for k, _ in view.hand if k not in public and k != slot)
        claims = judged(table, seat, ("play", slot))
        seen = {table.deck[k][1] for k, _ in view.hand if k in public and k != slot}
        if suits & seen:
            assert isinstance(claims, IllegalMove)
        elif not suits or not hidden:
            assert claims == ()
        else:
            assert not isinstance(claims, IllegalMove)
            (claim,) = claims
            assert claim.slots == hidden
            assert set(claim.forbidden) == {card for card in view.pack if card[1] in suits}

    def check_secrets(self, table: Table) -> None:
        """Nothing that is told names a card that its reader may not know."""
        public = set(table.public().values())
        assert cards_in(GAME.plain(table.state)) <= public
        told = {card for line in GAME.describe(table.state) for card in cards_in(line)}
        assert told <= public
        for seat in (None, *range(self.seats)):
            view = azi(table.view(seat))
            known = table.known(seat)
            assert shown_by(view) <= set(known.values())
            assert all(known[slot] == card for slot, card in view.hand)
            assert (view.owes is not None) == (seat in GAME.owed(table.state))
        assert within_limits(GAME.plain(table.state))
        assert within_limits(GAME.plain_standing(self.match.standing))

    def check_blindness(self, table: Table) -> None:
        """A seat's view does not change with cards that others hold, were it told of them."""
        for seat in (None, *table.seats):
            known = table.known(seat)
            hidden = [k for k in range(len(table.deck)) if k not in known]
            others = [k for k in hidden if seat is None or not self.is_own(table, seat, k)]
            cards = [table.deck[k] for k in others]
            self.chance.shuffle(cards)
            told = known | dict(zip(others, cards, strict=True))
            assert GAME.view(table.state, seat, told) == GAME.view(table.state, seat, known)

    @staticmethod
    def is_own(table: Table, seat: Seat, slot: int) -> bool:
        """Whether a slot was dealt to this seat."""
        cards = 0 if table.is_interlude else int(table.options["cards"])
        return bool(cards) and table.seats.index(seat) == slot // cards

    def check_repeated(self, table: Table) -> None:
        """Who is gone already may be told again, and an empty step changes nothing."""
        faces = table.public()
        again = GAME.absent(table.state, frozenset(table.gone), faces)
        assert again == (table.state, Outcome.GOES_ON)
        if len(GAME.owed(table.state)) == 1:
            assert GAME.apply(table.state, {}, faces) == table.state

    def check_all_moves(self, table: Table) -> None:
        """What ``legal`` names everybody accepts; of all the rest nobody accepts anything."""
        owed = GAME.owed(table.state)
        before, key = repr(table.state), hash(table.state)
        for seat in table.seats:
            view = azi(table.view(seat))
            named = {move for choice in GAME.legal(view) for move in moves_of(choice)}
            steps = {choice.kind: choice.amount for choice in GAME.legal(view) if choice.amount}
            assert bool(named) == (seat in owed)
            late = GAME.late(view) if seat in owed else None
            if late is not None:
                assert accepted(table, seat, late)
                assert late in named or late == ("late",)
            for move in {*everything(view), *named}:
                legal = move in named
                if move[0] in steps:
                    least, most, step = steps[str(move[0])]
                    total = move[1]
                    assert isinstance(total, int)
                    legal = least <= total <= most and (total - least) % step == 0
                objection = GAME.objection(view, move)
                assert (objection is None) == legal, (seat, move, objection)
                if move != ("late",) or late != move:
                    assert accepted(table, seat, move) == legal, (seat, move)
            for junk in JUNK:
                assert not accepted(table, seat, junk)  # type: ignore[arg-type]
                assert GAME.objection(view, junk) is not None  # type: ignore[arg-type]
        for stranger in {-1, 6, *range(self.seats)} - set(table.seats):
            assert not accepted(table, stranger, ("fold",))
        assert (repr(table.state), hash(table.state)) == (before, key)

    def check_standing(self, table: Table) -> None:
        """What is carried on is what the other finds."""
        standing = GAME.settle(table.state)
        other = self.other
        if table.is_interlude:
            other.between(self.match.present - table.gone)
            self.between_done = True
        else:
            self.between_done = False
            self.ends.append(other.outcome)
            assert table.outcome is (
                Outcome.NEW_PACK if other.outcome == "spent" else Outcome.GOES_ON
            )
            if table.outcome is Outcome.GOES_ON:
                assert GAME.over(table.state)
        self.same_standing(standing)

    def same_standing(self, standing: Standing) -> None:
        """The same money, the same winner, the same heirs."""
        assert GAME.restored(self.options, self.seats, GAME.plain_standing(standing)) == standing
        plain, other = pairs(GAME.plain_standing(standing)), self.other
        assert plain["stacks"] == tuple(other.stacks)
        assert plain["carried"] == other.carried
        assert sum(other.stacks) + other.carried == self.sum
        assert plain["winner"] == (() if other.winner is None else (other.winner,))
        assert plain["played"] == other.played
        if other.carried:
            assert plain["entry"] == other.entry
            assert plain["heirs"] == tuple(sorted(other.heirs))
        if other.carried and other.entry == "azi":
            assert plain["entered"] == tuple(sorted(other.bought))

    def check_end(self) -> None:
        """The match ends when the other says so, with the same winner; the table never stalls."""
        other, end = self.other, self.match.end
        if not self.between_done:
            other.between(self.match.present)
            self.between_done = True
        if end is None:
            assert other.ended(self.match.present) == ""
            assert len(other.can_play(self.match.present)) < 2
            self.ends.append("stopped")
            return
        self.ends.append(end.rule)
        richest = other.richest()
        shared = tuple(richest) if len(richest) > 1 else ()
        assert (end.winner, end.shared) == (None if shared else richest[0], shared)
        assert other.ended(self.match.present) == end.rule or (shared and end.rule == "tie")
        assert end.text
        caught = frozenset(richest)
        without = GAME.match(self.match.options, self.match.standing, self.match.present, caught)
        others = [s for s in range(self.seats) if s not in caught]
        assert without is not None
        assert not caught & {without.winner, *without.shared}
        assert (without.winner is None and not without.shared) == (not others)


@pytest.mark.parametrize(
    "seed",
    [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 30))],
)
def test_a_match_by_chance_is_what_the_rules_text_says(seed: int) -> None:
    """Turns, choices, tricks and every chip, with any options and anybody gone at any time."""
    Watch(seed).run()


KINDS = ("discard", "bid", "bid blind", "play", "play blind", "buy")


@cache
def at_choices() -> dict[str, Table]:
    """For each kind of choice a table at which a seat owes one."""
    found: dict[str, Table] = {}
    for seed in count():
        watch = Watch(seed)
        for table in watch.match.play():
            for _ in table.play():
                for kind in GAME.owed(table.state).values():
                    blind = watch.options["blind"] == "on" and kind != "buy"
                    found.setdefault(kind + " blind" * blind, table.copy())
            if len(found) == len(KINDS) or watch.match.number == 6:
                break
        if len(found) == len(KINDS):
            break
    return found


ANYTHING = st.recursive(
    st.one_of(
        st.integers(-2, 60),
        st.integers(),
        st.booleans(),
        st.none(),
        st.text(max_size=4),
        st.binary(max_size=4),
        st.floats(),
        st.sampled_from([kind for kinds in CHOICES.values() for kind in kinds]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=6,
)
NEAR = st.tuples(
    st.sampled_from([kind for kinds in CHOICES.values() for kind in kinds]),
    st.one_of(st.integers(-1, 130), ANYTHING),
)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.sampled_from(KINDS), st.integers(-1, 6), st.one_of(NEAR, ANYTHING))
def test_whatever_comes_from_the_network_is_refused_or_accepted_for_good(
    kind: str, seat: int, move: object
) -> None:
    """``needs`` and ``claims`` raise IllegalMove with a listed code, or ``apply`` takes it."""
    table = at_choices()[kind]
    before = repr(table.state)
    claims = judged(table, seat, move)  # type: ignore[arg-type]
    if isinstance(claims, IllegalMove):
        assert claims.rule in REFUSALS
    elif len(GAME.owed(table.state)) == 1:
        after = table.copy()
        after.choose = lambda seat, view: move  # type: ignore[assignment,return-value]
        after.carry_out("choice", (seat,), frozenset())
        assert after.state != table.state
    if seat in table.seats:
        objection = GAME.objection(table.view(seat), move)  # type: ignore[arg-type]
        assert objection is None or objection.rule in REFUSALS
    assert repr(table.state) == before
