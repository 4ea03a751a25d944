"""The tricks: following and what it proves, who takes what, two tricks, and azi."""

from __future__ import annotations

import pytest

from engine import EVERYBODY, Audience, Claim, IllegalMove
from engine.azi import GAME
from engine.azi.pack import cards_of_suits, cards_without
from engine.azi.state import AziState
from tests.engine.azi_hands import (
    THREE,
    at_bid,
    deck,
    game,
    moved,
    options,
    refused,
    standing,
    start,
    view,
)
from tests.engine.azi_hands import dealt as dealt_to

FACES = deck(THREE)
BIDS = "0 bid 10, 1 level, 2 level, "
AZI = (
    BIDS + "0 play AS, 1 play 7S, 2 play 6S, 0 play 7D, 1 play AD, 2 play 8D, "
    "1 play 8H, 2 play AH, 0 play 6H"
)
PACK = cards_without("C")


def all_of(suits: str) -> tuple[str, ...]:
    """All cards of these suits."""
    return cards_of_suits(PACK, suits)


def claimed(state: AziState, seat: int, slot: int) -> tuple[Claim, ...]:
    """What a card that is played says, with only public faces and its own."""
    public = {play.slot: play.card for trick in state.tricks for play in trick.plays}
    public |= {play.slot: play.card for play in state.trick}
    public |= {state.turned_up_slot: state.turned_up, slot: FACES[slot]}
    return GAME.claims(state, seat, ("play", slot), public)


def test_a_played_card_opens_and_is_for_all() -> None:
    """The others of the hand stay its owner's, the stock nobody's."""
    state = at_bid(50, 50, 50, told=BIDS)
    assert GAME.needs(state, 0, ("play", 1)) == (1,)
    after = moved(state, "0 play 7D", FACES)
    who = GAME.audience(after)
    assert who[:3] == (Audience(frozenset({0})), EVERYBODY, Audience(frozenset({0})))
    assert who[9] == EVERYBODY
    assert set(who[10:]) == {Audience()}
    assert view(after, 0, FACES).hand == ((0, "AS"), (2, "6H"))


def test_who_follows_or_leads_proves_nothing() -> None:
    """Nothing is said of the rest of the hand."""
    state = at_bid(50, 50, 50, told=BIDS)
    assert claimed(state, 0, 0) == ()
    state = moved(state, "0 play AS", FACES)
    assert claimed(state, 1, 3) == ()


def test_who_trumps_has_no_card_of_the_led_suit() -> None:
    """Proved of the hidden cards left, this one not among them."""
    state = at_bid(50, 50, 50, told=BIDS + "0 play AS")
    assert claimed(state, 1, 5) == (Claim((3, 4), all_of("S")),)


def test_who_discards_has_neither_the_led_suit_nor_a_trump() -> None:
    """All cards of both suits are denied, in the pack's order."""
    state = at_bid(50, 50, 50, told=BIDS + "0 play AS")
    assert claimed(state, 1, 4) == (Claim((3, 5), all_of("SH")),)


def test_who_does_not_follow_a_trump_has_none() -> None:
    """There is nothing else to play."""
    state = at_bid(50, 50, 50, told=BIDS + "0 play 6H")
    assert claimed(state, 1, 3) == (Claim((4, 5), all_of("H")),)


def test_the_last_card_proves_nothing() -> None:
    """No hidden card is left."""
    state = at_bid(50, 50, 50, told=AZI.rpartition(", 1 play")[0])
    assert claimed(state, 1, 5) == ()
    state = moved(state, "1 play 8H", FACES)
    assert claimed(state, 2, 8) == ()


def test_a_discard_of_four_is_not_in_the_claim() -> None:
    """It is no part of the hand any more."""
    hands = ("AS KS QS JS", "AD KD QD JD")
    faces = deck(hands, "9H", 4)
    state = dealt_to(start(options(cards=4), standing(50, 50)), faces)
    state = moved(state, "0 discard JS, 1 discard JD, 0 bid 10, 1 level, 0 play AS", faces)
    assert GAME.claims(state, 1, ("play", 5), faces) == (Claim((4, 6), all_of("SH")),)


def test_the_own_program_refuses_what_the_proof_could_not_show() -> None:
    """Which of the two it is, it says."""
    state = at_bid(50, 50, 50, told=BIDS + "0 play AS")
    seen = view(state, 1, FACES)
    assert [choice.moves for choice in GAME.legal(seen)] == [(("play", 3),)]
    assert GAME.late(seen) == ("play", 3)
    objections = [GAME.objection(seen, ("play", slot)) for slot in (3, 4, 5, 0)]
    assert [one and one.rule for one in objections] == [
        None,
        "play.follow",
        "play.follow",
        "play.slot",
    ]
    hands = ("AS 7D 6H", "KD AD 8H", "6S 8D AH")
    faces = deck(hands)
    state = at_bid(50, 50, 50, told=BIDS + "0 play AS", hands=hands)
    trump = GAME.objection(view(state, 1, faces), ("play", 3))
    assert trump is not None
    assert trump.rule == "play.trump"
    assert GAME.objection(view(state, 1, faces), ("play", 5)) is None


@pytest.mark.parametrize("told", ["0 play 7S", "0 play QH", "0 play TS"])
def test_only_a_card_of_the_own_hand_can_be_played(told: str) -> None:
    """Not another's, not the one that is turned up, none of the stock."""
    assert refused(at_bid(50, 50, 50, told=BIDS), told, FACES) == "play.slot"


def test_a_card_is_played_once() -> None:
    """And one seat after the other."""
    state = at_bid(50, 50, 50, told=BIDS + "0 play AS")
    assert refused(state, "0 play 7D", FACES) == "turn"
    state = moved(state, "1 play 7S, 2 play 6S", FACES)
    assert state.turn == 0
    assert refused(state, "0 play AS", FACES) == "play.slot"


def test_the_winner_of_a_trick_leads_the_next() -> None:
    """And two tricks win the game; play stops there."""
    hands = ("AS 7D 6H", "7S AD 8H", "6S 8D AH")
    told = BIDS + "0 play 7D, 1 play AD, 2 play 8D"
    state = at_bid(50, 50, 50, told=told, hands=hands)
    assert (state.leader, state.turn, state.tricks[0].winner) == (1, 1, 1)
    told += ", 1 play 8H, 2 play AH, 0 play 6H, 2 play 6S, 0 play AS, 1 play 7S"
    assert at_bid(50, 50, 50, told=told, hands=hands).ended == "azi"
    told = BIDS + "0 play 7D, 1 play AD, 2 play 8D, 1 play 7S, 2 play 6S, 0 play AS"
    assert at_bid(50, 50, 50, told=told, hands=hands).turn == 0
    hands = ("6S 7D 6H", "KS AD 8H", "7S 8D AH")
    told = BIDS + "0 play 7D, 1 play AD, 2 play 8D, 1 play KS, 2 play 7S, 0 play 6S"
    state = at_bid(50, 50, 50, told=told, hands=hands)
    assert (state.ended, state.winner, state.payouts) == ("won", 1, ((1, 60),))
    assert GAME.settle(state) == standing(30, 90, 30, winner=1, dealt=1, played=1)


def test_azi_carries_the_bank_over() -> None:
    """The trick takers are its heirs; the last winner stays."""
    state = at_bid(50, 50, 50, told=AZI)
    assert (state.ended, state.winner, state.chips.bank) == ("azi", None, 60)
    assert GAME.settle(state) == standing(
        30,
        30,
        30,
        carried=60,
        entry="azi",
        heirs=(0, 1, 2),
        azi_bank=60,
        opener=0,
        dealt=1,
        played=1,
    )


def test_an_azi_before_the_last_game_is_played_for() -> None:
    """There is still one to come."""
    state = moved(dealt_to(start(options(hands=2), standing(50, 50, 50)), FACES), AZI, FACES)
    assert (state.payouts, state.chips.bank) == ((), 60)


@pytest.mark.parametrize("entry", ["half_pot", "trick_takers_only"])
def test_the_game_after_such_an_azi_is_free(entry: str) -> None:
    """No ante is paid in it."""
    state = GAME.settle(at_bid(50, 50, 50, told=AZI, azi_entry=entry))
    after = start(options(azi_entry=entry), state)  # type: ignore[arg-type]
    assert (after.chips.stacks, after.chips.bank) == ((30, 30, 30), 60)


def test_a_real_win_ends_what_an_azi_began() -> None:
    """The carried bank goes whole to the winner, a short one too."""
    before = standing(
        90, 90, 25, carried=61, entry="azi", heirs=(0, 1, 2), azi_bank=61, opener=2, winner=2
    )
    hands = ("6S 7D 6H", "7S AD 8H", "KS 8D AH")
    faces = deck(hands)
    state = dealt_to(start(options(), before), faces)
    told = "0 bid 40, 1 level, 2 level, 0 play 6S, 1 play 7S, 2 play KS, 2 play AH, 0 play 6H"
    state = moved(state, told + ", 1 play 8H", faces)
    assert state.payouts == ((2, 61 + 3 * 25), (0, 25), (1, 25))
    told = "seat 2 took 136, 25 went back to seat 0, 25 went back to seat 1"
    assert GAME.describe(state)[-1] == told
    assert GAME.settle(state) == standing(65, 65, 136, winner=2, dealt=1, played=1)


def test_pro_rata_of_a_short_winner() -> None:
    """The other reading of the rule."""
    told = "0 bid 40, 1 level, 2 level, 0 play 6S, 1 play 7S, 2 play KS, 2 play AH, 0 play 6H"
    hands = ("6S 7D 6H", "7S AD 8H", "KS 8D AH")
    state = at_bid(90, 90, 25, told=told + ", 1 play 8H", hands=hands, short_stack="pro_rata")
    assert state.payouts == ((2, 125 * 25 // 50), (0, 32), (1, 31))


def test_after_the_last_game_an_azi_is_shared_out() -> None:
    """In equal parts among the trick takers, odd chips clockwise from the opener."""
    before = standing(50, 50, 50, carried=2, played=4, heirs=(0,), winner=1)
    faces = deck(THREE)
    state = dealt_to(start(options(hands=5), before), faces)
    assert state.opener == 2
    told = "2 bid 10, 0 level, 1 level, 2 play 6S, 0 play AS, 1 play 7S, 0 play 7D, 1 play AD, "
    state = moved(state, told + "2 play 8D, 1 play 8H, 2 play AH, 0 play 6H", faces)
    assert (state.ended, state.payouts) == ("azi", ((2, 21), (0, 21), (1, 20)))
    after = GAME.settle(state)
    assert after == standing(51, 50, 51, winner=1, dealt=1, played=5)
    end = GAME.match(options(hands=5), after, frozenset({0, 1, 2}))
    assert end is not None
    assert (end.rule, end.shared) == ("tie", (0, 2))
    assert GAME.describe(state)[-4:] == (
        "azi in the last game: the bank of 62 is shared out",
        "seat 2 took 21",
        "seat 0 took 21",
        "seat 1 took 20",
    )


DEALERS = ("AS KD 6H", "7S AD 8H", "6S 8D AH")
DEALER_FACES = deck(DEALERS, "AH")


def dealers_card(told: str) -> AziState:
    """A game in which the dealer, seat 2, holds the ace that is turned up."""
    state = start(options(trump_from="dealers_last_card"), standing(50, 50, 50))
    return moved(dealt_to(state, DEALER_FACES), BIDS + told, DEALER_FACES)


def test_the_dealers_turned_up_card_is_in_its_hand() -> None:
    """For all to see, until and after it is played; its share is out already."""
    state = dealers_card("")
    assert (state.dealer, state.turned_up_slot, state.trump) == (2, 8, "H")
    assert GAME.audience(state)[8] == EVERYBODY
    assert set(GAME.audience(state)[9:]) == {Audience()}
    state = dealers_card("0 play 6H, 1 play 8H")
    assert view(state, 2, DEALER_FACES).hand == ((6, "6S"), (7, "8D"), (8, "AH"))
    assert GAME.needs(state, 2, ("play", 8)) == ()
    after = moved(state, "2 play AH", DEALER_FACES)
    assert after.tricks[0].winner == 0
    assert view(after, 2, DEALER_FACES).hand == ((6, "6S"), (7, "8D"))


def test_a_dealer_who_could_follow_with_the_turned_up_card_is_refused() -> None:
    """All see it, so no proof is needed."""
    state = dealers_card("0 play 6H, 1 play 8H")
    assert refused(state, "2 play 8D", DEALER_FACES) == "play.follow"
    faces = deck(("AS KD 6H", "7S AD 8H", "6D 8D AH"), "AH")
    state = start(options(trump_from="dealers_last_card"), standing(50, 50, 50))
    state = moved(dealt_to(state, faces), BIDS + "0 play AS, 1 play 7S", faces)
    assert refused(state, "2 play 8D", faces) == "play.trump"
    with pytest.raises(IllegalMove) as refusal:
        GAME.apply(state, {2: ("play", 7)}, faces)
    assert (refusal.value.rule, refusal.value.seat) == ("play.trump", 2)
    assert GAME.claims(state, 2, ("play", 8), faces) == (Claim((6, 7), all_of("S")),)


def test_six_on_stage_beats_even_the_dealers_ace() -> None:
    """It must be played like any trump, though."""
    state = dealers_card("0 play 6H, 1 play 8H, 2 play AH")
    assert state.six_on_stage
    assert state.tricks[0].winner == 0
    assert "six on stage: the six of trumps was the highest card" in GAME.describe(state)


def test_a_game_is_told_in_sentences() -> None:
    """From who was dealt in to who took what."""
    assert GAME.describe(at_bid(50, 50, 50, told=AZI)) == (
        "seat 0, seat 1 and seat 2 were dealt in, seat 0 opened",
        "QH was turned up",
        "seat 0 bid 10",
        "seat 1 levelled for 10",
        "seat 2 levelled for 10",
        "trick 1: seat 0 AS, seat 1 7S, seat 2 6S; seat 0 took it",
        "trick 2: seat 0 7D, seat 1 AD, seat 2 8D; seat 1 took it",
        "trick 3: seat 1 8H, seat 2 AH, seat 0 6H; seat 2 took it",
        "azi: the bank of 60 is carried over",
    )
    assert GAME.describe(at_bid(50, 50, told="0 bid 12, 1 fold", hands=THREE[:2])) == (
        "seat 0 and seat 1 were dealt in, seat 0 opened",
        "QH was turned up",
        "seat 0 bid 12",
        "seat 1 folded",
        "seat 0 was left alone",
        "seat 0 took 32",
    )


def test_a_state_is_plain_values_in_a_fixed_order() -> None:
    """With the slots of what was played, and nothing of what was not."""
    state = at_bid(50, 50, 50, told=BIDS + "0 play AS, 1 play 7S, 2 play 6S, 0 play 7D")
    plain = GAME.plain(state)
    assert isinstance(plain, tuple)
    names = [str(pair[0]) for pair in plain if isinstance(pair, tuple)]
    assert " ".join(names) == (
        "game phase before seats dealer opener stacks contributions carried sealed turned_up "
        "discards turn opened levels bids_made highest highest_bidder yielded folded gone looked "
        "seen given leader trick tricks actions ended winner heirs payouts"
    )
    assert ("trick", ((0,), (1,), ("7D",))) in plain
    assert ("tricks", ((0, 0, (0, 1, 2), (0, 3, 6), ("AS", "7S", "6S")),)) in plain
    assert ("actions", ((0, "bid", 10), (1, "level", 10), (2, "level", 10))) in plain


def test_a_game_that_is_not_over_cannot_be_settled() -> None:
    """A mistake of the caller."""
    with pytest.raises(ValueError, match="the game is at bid, not over"):
        GAME.settle(at_bid(50, 50))


def test_every_chip_is_in_a_stack_or_in_the_bank_after_every_step() -> None:
    """Play by play."""
    state = at_bid(50, 50, 50)
    for told in AZI.split(", "):
        state = game(moved(state, told, FACES))
        assert sum(state.chips.stacks) + state.chips.bank == 150
