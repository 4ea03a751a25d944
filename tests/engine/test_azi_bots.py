"""Azi's bots: always legal, repeatable, bound to their view, and not equally good."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from statistics import mean

import pytest

from bench.bots import matches
from engine import Card, Move, Options, Seat, Slot, View, complete
from engine.azi import GAME, bots, wagers
from engine.azi.chances import Unseen, places, unseen
from engine.azi.interlude import Interlude
from engine.azi.pack import cards_without, playable, winning
from engine.azi.playout import answer, beats, bits, lead, play_out, suit_of
from engine.azi.stakes import azi_shares
from engine.azi.standing import AFTER_AZI
from engine.azi.state import AziState
from engine.azi.view import AziView
from engine.cards import suit
from tests.engine.azi_chance import packs, some_options, some_present
from tests.engine.azi_hands import THREE, at_bid, deck, moved, options, standing, view
from tests.engine.driver import Match

STRATEGIES = ("random", "steady")

VALUES: dict[str, tuple[int | str, ...]] = {
    "cards": (3, 4),
    "blind": ("off", "on"),
    "azi_entry": ("all_ante", "half_pot", "trick_takers_only"),
    "short_stack": ("matched", "pro_rata"),
    "trump_from": ("stock", "dealers_last_card"),
    "callers_may_reraise": ("off", "on"),
}
"""Options that are a choice of a few."""

HEARTS = bits(cards_without("C"), "H", False)
"""The bits of cards where hearts are trumps."""


@pytest.fixture
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three deals for a choice, where only the form of moves counts."""
    monkeypatch.setattr(bots, "DEALS", 3)
    monkeypatch.setattr(wagers, "DEALS", 3)


def no_draw(n: int) -> int:
    """A draw that must not be asked for."""
    raise AssertionError(f"asked to draw below {n}")


def asked(state: AziState, faces: Mapping[Slot, Card], name: str = "steady", seed: int = 1) -> Move:
    """What the seat does whose turn it is."""
    seen = view(state, state.turn, faces)
    move = GAME.strategies[name](seen, random.Random(seed).randrange)
    assert GAME.objection(seen, move) is None
    return move


def card_of(move: Move, faces: Mapping[Slot, Card]) -> Card:
    """The card that a move names."""
    _, slot = move
    assert isinstance(slot, int)
    return faces[slot]


def held(text: str) -> int:
    """The bits of the cards of a text where hearts are trumps."""
    return sum(HEARTS[card] for card in text.split())


class Players:
    """Strategies at the seats of a match; keeps every view on which one was asked."""

    def __init__(self, names: tuple[str, ...], seed: int) -> None:
        self.names = names
        self.chance = random.Random(seed)
        self.views: list[AziView] = []

    def __call__(self, seat: Seat, seen: View) -> Move:
        """A move, which the own program must allow."""
        assert isinstance(seen, AziView)
        self.views.append(seen)
        move = GAME.strategies[self.names[seat]](seen, self.chance.randrange)
        assert GAME.objection(seen, move) is None
        return move


def played(
    seats: int, seed: int, chosen: Options, hands: int, silence: float = 0.0
) -> list[AziView]:
    """The views on which bots were asked in the first hands of a match that follows from a seed.

    Every second seat is steady; each seat falls silent at a step as often as ``silence`` says.
    """
    players = Players(tuple(STRATEGIES[(seat + seed) % 2] for seat in range(seats)), seed)
    chance = random.Random(seed)
    match = Match(
        GAME,
        chosen,
        seats,
        packs(chosen, chance),
        players,
        GAME.opening(chosen, seats),
        coins=lambda number: chance.getrandbits(256),
        sit=some_present(chance, seats),
        silent=lambda number: (
            lambda step: frozenset(seat for seat in step.owing if chance.random() < silence)
        ),
    )
    for table in match.play():
        table.finish()
        if match.number == hands:
            break
    return players.views


# Legal, repeatable, bound to the view


def test_the_game_offers_the_two_strategies() -> None:
    """By the names that people choose."""
    assert sorted(GAME.strategies) == sorted(STRATEGIES)


@pytest.mark.slow
@pytest.mark.usefixtures("in_haste")
def test_every_move_is_one_that_the_own_program_allows() -> None:
    """More than a thousand choices, of all kinds, with all options at work and seats going away."""
    seen: list[AziView] = []
    for seed in range(60):
        chosen = some_options(GAME, random.Random(seed))
        seen += played(2 + seed % 5, seed, chosen, hands=6, silence=(0, 0.02)[seed % 2])
    kinds = [view.owes for view in seen]
    assert len(kinds) > 1500
    assert set(kinds) == {"discard", "bid", "play", "buy"}
    assert sum(view.blind and view.seat not in view.looked for view in seen) > 100


@pytest.mark.slow
@pytest.mark.usefixtures("in_haste")
def test_every_combination_of_options_is_played() -> None:
    """A few hands each, of two to six seats."""
    combinations = 0
    for number, values in enumerate(product(*VALUES.values())):
        given = dict(zip(VALUES, values, strict=True))
        if given["blind"] == "off" or given["cards"] == 3:
            chosen = complete(GAME.options, {**given, "stack": 40})
            assert played(2 + number % 5, number, chosen, hands=3)
            combinations += 1
    assert combinations == 72


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_bot_repeats_itself(name: str) -> None:
    """The same view and the same draws give the same move, whatever was asked in between."""
    seen = played(3, 5, options(cards=4), hands=4) + played(3, 6, options(blind="on"), hands=4)
    play = GAME.strategies[name]
    first = [play(one, random.Random(number).randrange) for number, one in enumerate(seen)]
    again = [play(one, random.Random(number).randrange) for number, one in enumerate(seen)]
    assert first == again


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_bot_does_not_know_the_cards_of_others(name: str) -> None:
    """With all that it cannot see shuffled, the bot does the same, at every turn of a game."""
    told = ("", "0 bid 20", "0 bid 20, 1 level, 2 level", "0 bid 20, 1 level, 2 level, 0 play AS")
    for number, done in enumerate(told):
        faces = deck(THREE)
        state = at_bid(100, 100, 100, told=done)
        first = asked(state, faces, name, seed=number)
        mine = {slot for slot in faces if GAME.audience(state)[slot].includes(state.turn or 0)}
        hidden = [slot for slot in faces if slot not in mine]
        others = [faces[slot] for slot in hidden]
        random.Random(number).shuffle(others)
        assert asked(state, faces | dict(zip(hidden, others, strict=True)), name, number) == first


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_bot_that_owes_nothing_is_told_so(name: str) -> None:
    """A spectator's view, one of a seat whose turn it is not, and one of another game."""
    state = at_bid(100, 100, 100)
    for seat in (None, 1):
        with pytest.raises(ValueError, match="owes"):
            GAME.strategies[name](view(state, seat, deck(THREE)), no_draw)
    with pytest.raises(TypeError, match="view of Azi"):
        GAME.strategies[name](View("other", 0, "bid", ()), no_draw)


def test_random_takes_every_way() -> None:
    """All kinds of answers about as often, and bids of every height."""
    state = at_bid(100, 100, 100, told="0 bid 20")
    moves = [asked(state, deck(THREE), "random", seed) for seed in range(300)]
    for kind in ("bid", "level", "fold"):
        assert 60 < sum(move[0] == kind for move in moves) < 140
    bids = {move[1] for move in moves if move[0] == "bid"}
    assert len(bids) > 40
    assert bids <= set(range(21, 91))


def test_steady_draws_only_where_there_is_something_to_choose() -> None:
    """The one card that may be played is played."""
    state = at_bid(100, 100, 100, told="0 bid 20, 1 level, 2 level, 0 play AS")
    seen = view(state, 1, deck(THREE))
    assert GAME.strategies["steady"](seen, no_draw) == ("play", 3)


# What steady does


def test_steady_never_folds_what_cannot_lose() -> None:
    """The two highest trumps, against everything that the other has."""
    hands = ("6S 7D 8D", "AH KH 6D")
    state = at_bid(200, 200, hands=hands, told="0 bid 190")
    assert asked(state, deck(hands)) == ("level",)
    state = at_bid(200, 200, hands=hands, told="0 bid 20")
    assert asked(state, deck(hands))[0] == "bid"


def test_steady_folds_the_worst_hand_and_opens_it_low() -> None:
    """Where it costs much; who opens must bid, and bids the least."""
    hands = ("6S 7D 8D", "6D 7S 8S")
    state = at_bid(200, 200, hands=hands)
    assert asked(state, deck(hands)) == ("bid", 10)
    state = at_bid(200, 200, hands=hands, told="0 bid 190")
    assert asked(state, deck(hands)) == ("fold",)


def test_steady_answers_by_what_it_costs() -> None:
    """The same middling hand levels a low bid and folds to a high one."""
    hands = ("6S 7D 8D", "KS 9H QD")
    low = at_bid(500, 500, hands=hands, told="0 bid 10")
    high = at_bid(500, 500, hands=hands, told="0 bid 490")
    assert asked(low, deck(hands)) != ("fold",)
    assert asked(high, deck(hands)) == ("fold",)


def test_steady_bids_blind_while_it_is_cheap_and_looks_before_it_is_dear() -> None:
    """At half price a hand that nobody has seen is worth the least bid, not half a stack."""
    hands = ("6S 7D 8D", "KS 9H QD")
    cheap = at_bid(500, 500, hands=hands, blind="on")
    assert asked(cheap, {}) != ("look",)
    dear = at_bid(500, 500, hands=hands, told="0 look, 0 bid 250", blind="on")
    assert asked(dear, {}) == ("look",)


def test_steady_takes_a_trick_with_what_is_needed_and_loses_it_with_the_least() -> None:
    """The higher card of the suit if it wins, else the lower one."""
    hands = ("KS 7D 6D", "AS 6S 8D")
    state = at_bid(100, 100, hands=hands, told="0 bid 10, 1 level, 0 play KS")
    assert card_of(asked(state, deck(hands)), deck(hands)) == "AS"
    hands = ("AS 7D 6D", "KS 6S 8D")
    state = at_bid(100, 100, hands=hands, told="0 bid 10, 1 level, 0 play AS")
    assert card_of(asked(state, deck(hands)), deck(hands)) == "6S"


def test_steady_discards_what_wins_least() -> None:
    """Of two trumps, a plain ace and a plain six the six."""
    hands = ("AH KH 6S AD", "7S 8S 9S TS")
    faces = deck(hands, size=4)
    state = at_bid(100, 100, hands=hands, cards=4)
    seen = view(state, 0, faces)
    move = GAME.strategies["steady"](seen, random.Random(1).randrange)
    assert card_of(move, faces) == "6S"


@pytest.mark.parametrize(("heirs", "answer_"), [((0, 1), "buy"), ((0, 1, 2), "pass")])
def test_steady_buys_in_where_its_part_is_worth_the_price(
    heirs: tuple[Seat, ...], answer_: str
) -> None:
    """A third of one and a half banks is worth half a bank, a quarter is not."""
    chosen = options(azi_entry="half_pot")
    before = standing(
        *(500,) * 4, carried=100, entry=AFTER_AZI, heirs=heirs, azi_bank=100, opener=0, free=True
    )
    asked_now = GAME.interlude(chosen, before, frozenset({*heirs, 3}))
    assert isinstance(asked_now, Interlude)
    seen = view(asked_now, 3)
    assert GAME.strategies["steady"](seen, no_draw) == (answer_,)


# What it reckons with


@pytest.mark.usefixtures("in_haste")
def test_deals_agree_with_all_that_a_seat_knows() -> None:
    """Whole hands of cards that may be anywhere, the own ones as they are, no barred suit."""
    chance = random.Random(3)
    seen: list[AziView] = []
    for seed in range(8):
        given = {"trump_from": ("stock", "dealers_last_card")[seed % 2], "cards": 3 + seed // 2 % 2}
        seen += played(2 + seed % 5, seed, options(**given), hands=3)
    checked = barred = 0
    for one in seen:
        if one.owes in ("bid", "play"):
            known = unseen(one)
            for _ in range(3):
                check_deal(one, known, known.deal(chance.randrange))
            checked += 1
            barred += any(known.barred)
    assert checked > 100
    assert barred > 10


def check_deal(seen: AziView, known: Unseen, hands: list[int]) -> None:
    """One deal of what a seat cannot see."""
    bit = bits(seen.pack, seen.trump, seen.six_on_stage)
    left = dict(zip(seen.seats, seen.unplayed, strict=True))
    assert hands[0] == sum(bit[card] for _, card in seen.hand)
    assert [hand.bit_count() for hand in hands] == [len(left[seat]) for seat in known.players]
    out = {card for _, plays, _ in seen.tricks for _, card in plays} | {c for _, c in seen.trick}
    away = sum(bit[card] for card in out) + (bit[seen.discard[1]] if seen.discard else 0)
    assert sum(hands) & away == 0
    assert sum(hands).bit_count() == sum(hand.bit_count() for hand in hands)
    turned = bit[seen.turned_up]
    if seen.dealers_card and seen.turned_up not in out and seen.dealer in known.players:
        assert hands[known.players.index(seen.dealer)] & turned
    else:
        assert not sum(hands) & turned
    assert not any(hand & none for hand, none in zip(hands, known.barred, strict=True))


def test_who_did_not_follow_has_none_of_the_suit_and_no_trump_either() -> None:
    """The cards that each play of a trick bars."""
    hands = ("AS 7D 6D", "8D 9D KH", "9S TD 8H")
    state = at_bid(100, 100, 100, hands=hands, told="0 bid 10, 1 level, 2 level")
    state = moved(state, "0 play AS, 1 play KH, 2 play 9S", deck(hands))
    known = unseen(view(state, 1, deck(hands)))
    assert known.players == (1, 2, 0)
    assert known.barred == (held("AS KS QS JS TS 9S 8S 7S 6S"), 0, 0)
    hands = ("AS 7D 6D", "8D 9D TD", "9S KD 8H")
    state = at_bid(100, 100, 100, hands=hands, told="0 bid 10, 1 level, 2 level")
    state = moved(state, "0 play AS, 1 play 8D", deck(hands))
    none = held("AS KS QS JS TS 9S 8S 7S 6S AH KH QH JH TH 9H 8H 7H 6H")
    assert unseen(view(state, 2, deck(hands))).barred == (0, 0, none)


def test_hands_are_placed_by_what_they_win() -> None:
    """The highest trumps beat all others, three low plain cards none; of four cards more beat."""
    best, middle, worst = (held(hand) for hand in ("AH KH QH", "AS 9H 7D", "6S 6D 7S"))
    for of_four in (False, True):
        found = places(of_four)
        assert found[worst] < 0.01 < 0.3 < found[middle] < 0.9 < 0.98 < found[best] < 1
    assert places(True)[middle] < places(False)[middle]


def test_a_hand_that_was_backed_with_chips_is_likelier_a_good_one() -> None:
    """Levels and bids above the least tell; the least bid of who must open tells nothing."""
    state = at_bid(100, 100, 100, told="0 bid 10, 1 level")
    known = unseen(view(state, 2, deck(THREE)))
    assert known.players == (2, 0, 1)
    assert known.backed == ((2, 1),)
    assert known.likelihood([0, 0, 0.9]) > 3 * known.likelihood([0, 0.9, 0.4]) > 0
    raised = at_bid(100, 100, 100, told="0 bid 30, 1 bid 40")
    assert unseen(view(raised, 2, deck(THREE))).backed == ((1, 1), (2, 1))


def test_blind_bids_tell_nothing_of_a_hand() -> None:
    """Who bids without having looked has nothing to tell."""
    state = at_bid(100, 100, 100, told="0 bid 30, 1 level", blind="on")
    assert unseen(view(state, 2, deck(THREE))).backed == ()


@pytest.mark.parametrize("six_on_stage", [False, True])
def test_playing_out_keeps_to_the_rules(six_on_stage: bool) -> None:
    """The same cards may be played as by the rules, and the same one takes the trick."""
    pack, chance = cards_without("C"), random.Random(7)
    bit = bits(pack, "H", six_on_stage)
    card_at = {one: card for card, one in bit.items()}
    assert len(card_at) == len(pack)
    for _ in range(500):
        dealt = chance.sample(pack, 12)
        trick = [dealt[chance.randrange(3)]]
        best, led = bit[trick[0]], suit_of(bit[trick[0]])
        for seat in (1, 2, 3):
            hand = dealt[3 * seat : 3 * seat + 3]
            chosen = card_at[answer(sum(bit[card] for card in hand), led, best, seat == 3)]
            assert chosen in playable(hand, suit(trick[0]), "H")
            trick.append(chosen)
            if beats(bit[chosen], best, led):
                best = bit[chosen]
        assert card_at[best] == trick[winning(trick, "H", six_on_stage)]
        own = [bit[card] for card in dealt[:3]]
        assert lead(sum(own)) in own


def test_playing_out_tells_wins_and_azi() -> None:
    """Two tricks win; three tricks of three players are an azi, with the bits of all three."""
    high = [held("AH KH 6S"), held("AS 7D 8D"), held("6D 7S 8S")]
    assert [play_out(high, mover) for mover in range(3)] == [0, 0, 0]
    assert play_out([held("AS 7D 6D"), held("7S AD 9D"), held("6S 8D AH")], 0) == -1 - 0b111


def test_playing_out_goes_on_from_the_middle_of_a_trick() -> None:
    """A trick that a gone seat takes counts for nobody, and the next player leads."""
    hands, spades = [held("6D 7S"), held("AS")], held("6S 7S 8S 9S TS JS QS KS AS")
    assert play_out(hands, 0, 0b10, held("KS"), spades, -2, 1, held("7S")) == 1
    assert play_out(hands, 0, 0b01, held("KS"), spades, -1, 1, held("7S")) == 0
    assert play_out([held("6S")], 0, 0, held("KS"), spades, -1, 1) == -1


def test_after_an_azi_a_seat_hopes_for_its_part_of_the_bank() -> None:
    """Everybody where all may come back; else who has a trick; and so in the last game."""
    seen = view(at_bid(100, 100, 100), 0, deck(THREE))
    assert azi_shares(seen) == (1 / 3, 1 / 3)
    assert azi_shares(replace(seen, azi_entry="trick_takers_only")) == (0, 1 / 3)
    assert azi_shares(replace(seen, hands=5, hands_played=4)) == (0, 1 / 3)
    assert azi_shares(replace(seen, hands=5, hands_played=3)) == (1 / 3, 1 / 3)


# Strength


@pytest.mark.slow
def test_steady_beats_random_clearly() -> None:
    """Of two seats it wins most of the matches, and one of four far more than its quarter."""
    shown = matches(GAME, ("steady", "random"), number=20, seed=1)
    assert mean(shown["steady"].points) >= 80
    assert len(shown["random"].points) == 20
    shown = matches(GAME, ("steady", "random", "random", "random"), number=8, seed=1)
    assert mean(shown["steady"].points) >= 60
    assert sum(shown["steady"].points) + sum(shown["random"].points) == 800
