"""All lies at a table of Azi by name: where they are told, and the fault that follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tests.protocol import table_lies
from tests.protocol.azi_claims import (
    claimless,
    claims,
    flipped_claim,
    mended,
    mended_last,
    no_proof,
    nothing_forbidden,
    other_key,
    other_pack,
    other_slot,
    other_slot_under_this_name,
    own_card_allowed,
    own_card_alone,
    revoke,
    revokes,
    seen_revoke,
    simulated,
)
from tests.protocol.azi_forgeries import (
    ace_of_trumps,
    as_kind,
    bid,
    card_on_the_table,
    discards,
    given,
    move,
    opened,
    opened_too,
    opens_another,
    opens_to,
    others_slot,
    own_discard,
    played_slot,
    plays,
    richer,
    stock_slot,
    stray_move,
    turned_up,
)
from tests.protocol.azi_moments import (
    Wanted,
    again_ready,
    answers,
    could_hide_a_trump,
    could_keep_back,
    could_replay,
    could_revoke,
    could_revoke_by,
    dealt,
    denies,
    denies_two,
    folds,
    has_bid_thrice,
    has_levelled,
    has_looked,
    helps_all_to_look,
    helps_to_look,
    is_asked,
    is_blind,
    leads,
    locks,
    of_kind,
    opens,
    plays_on,
)
from tests.protocol.azi_stage import Moment, Setting, Told, honest, setting
from tests.protocol.forger import Alter, flipped, says, with_field


@dataclass(frozen=True)
class Cheat:
    """A lie at the first moment that is as wanted; ``stray``: of a seat that owes nothing then."""

    code: str
    where: Setting
    wanted: Wanted
    alter: Alter
    stray: bool = False

    @cached_property
    def moment(self) -> Moment:
        """When it is told; of another seat if it is told out of turn."""
        found = honest(self.where).moments
        return next(m for m in found if m.place[0] == 0 and self.wanted(m))

    @property
    def told(self) -> Told:
        """The lie in its place."""
        lane, step, seat = self.moment.place
        liar = (seat + 1) % self.where.seats if self.stray else seat
        return Told((lane, step, liar), self.alter, self.stray)


# Tables.

PLAIN = setting(3, seed=1)
TWO_HANDS = setting(3, hands=2)
TRUMPS = setting(3, seed=1)
BOLD = setting(3, "bold", "bold", "calm")
RAISED = setting(3, "calm", "calm", "bold")
LIMITED = setting(3, max_bid=20)
STEPPED = setting(3, raise_step=5)
FOUR_CARDS = setting(3, cards=4)
DEALERS = setting(3, cards=4, trump_from="dealers_last_card")
UP = setting(3, seed=4, trump_from="dealers_last_card")
UP_LED = setting(3, seed=7, trump_from="dealers_last_card")
BLIND = setting(3, blind="on")
EAGER = setting(3, "eager", blind="on", stack=100)
FOLDING = setting(3, "timid", blind="on")
REPLAYED = setting(4, seed=0)
HALF = setting(4, seed=13, azi_entry="half_pot", hands=2)

CHEATS: dict[str, Cheat] = {
    # (a) Revokes.
    "a revoke with every branch simulated": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(simulated)
    ),
    "a revoke as if it held the first card": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(mended)
    ),
    "a revoke as if it held the last card": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(mended_last)
    ),
    "a revoke with another key": Cheat("proof.claim", PLAIN, could_revoke, revoke(other_key)),
    "a revoke proved of the card that is played": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(other_slot)
    ),
    "a revoke proved of the card that is played, under the hidden one's number": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(other_slot_under_this_name)
    ),
    "a revoke with the own card allowed": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(own_card_allowed)
    ),
    "a revoke with all cards allowed": Cheat(
        "length", PLAIN, could_revoke, revoke(nothing_forbidden)
    ),
    "a revoke with the own card alone allowed": Cheat(
        "length", PLAIN, could_revoke, revoke(own_card_alone)
    ),
    "a revoke without a proof": Cheat("length", PLAIN, could_revoke, revoke(no_proof)),
    "a revoke proved for the next pack": Cheat(
        "proof.claim", PLAIN, could_revoke, revoke(other_pack)
    ),
    "a revoke with a claim from before": Cheat("proof.claim", REPLAYED, could_replay, revoke(None)),
    "a revoke with a trump": Cheat(
        "proof.claim", PLAIN, could_revoke_by(True), revoke(mended, trump=True)
    ),
    "a revoke without a trump": Cheat(
        "proof.claim", PLAIN, could_revoke_by(False), revoke(mended, trump=False)
    ),
    "a trump kept back": Cheat("proof.claim", TRUMPS, could_hide_a_trump, revoke(mended)),
    "the turned-up card kept back from its suit": Cheat(
        "rule.play.follow", UP_LED, could_keep_back("follow"), seen_revoke
    ),
    "the turned-up card kept back as a trump": Cheat(
        "rule.play.trump", UP, could_keep_back("trump"), seen_revoke
    ),
    "a revoke said to be none": Cheat(
        "encoding", PLAIN, could_revoke, claimless(lambda state, cards: revokes(state, cards)[0])
    ),
    # (b), (c), (d), (i) Bids.
    "a bid beyond the stack": Cheat(
        "rule.bid.chips", PLAIN, answers, bid(lambda s, me: s.chips.stacks[me] + 1)
    ),
    "a bid beyond all chips of the world": Cheat(
        "rule.bid.chips", PLAIN, opens, bid(lambda s, me: 2**63 - 1)
    ),
    "a raise after levelling": Cheat(
        "rule.bid.lead", RAISED, has_levelled, bid(lambda s, me: s.highest + 10)
    ),
    "a fourth bid": Cheat(
        "rule.bid.limit", BOLD, has_bid_thrice, bid(lambda s, me: s.highest + 10)
    ),
    "a first bid too low": Cheat("rule.bid.low", PLAIN, opens, move("bid", 9)),
    "a first bid of nothing": Cheat("rule.bid.low", PLAIN, opens, move("bid", 0)),
    "a bid that is not higher": Cheat("rule.bid.low", PLAIN, answers, bid(lambda s, me: s.highest)),
    "a raise by less than the step": Cheat(
        "rule.bid.step", STEPPED, answers, bid(lambda s, me: s.highest + 4)
    ),
    "a bid above the highest": Cheat("rule.bid.max", LIMITED, answers, move("bid", 21)),
    "an odd bid": Cheat("rule.bid.even", BLIND, answers, bid(lambda s, me: s.highest + 3)),
    "an opener who folds": Cheat("rule.bid.open", PLAIN, opens, move("fold")),
    "an opener who levels": Cheat("rule.bid.open", PLAIN, opens, move("level")),
    "late without having to open": Cheat("rule.late", PLAIN, answers, move("late")),
    "a fold with an amount": Cheat("rule.shape", PLAIN, answers, move("fold", 0)),
    "a bid in words": Cheat("rule.shape", PLAIN, answers, move("bid", "20")),
    "a card instead of a bid": Cheat("rule.turn", PLAIN, answers, move("play", 0)),
    "a bid out of turn": Cheat("turn", PLAIN, opens, stray_move("bid", 500), stray=True),
    "a fold out of turn": Cheat("turn", PLAIN, leads, stray_move("fold"), stray=True),
    # (e) Cards.
    "another seat's card": Cheat("rule.play.slot", PLAIN, leads, plays(others_slot)),
    "a card of the stock": Cheat("rule.play.slot", PLAIN, leads, plays(stock_slot)),
    "the turned-up card": Cheat("rule.play.slot", PLAIN, leads, plays(turned_up)),
    "a card played twice": Cheat("rule.play.slot", PLAIN, plays_on, plays(played_slot)),
    "the own discard": Cheat("rule.play.slot", FOUR_CARDS, leads, plays(own_discard)),
    "a card opened by another one's share": Cheat("face", PLAIN, leads, opens_another),
    "a card opened to the best of trumps": Cheat(
        "proof.shares", PLAIN, leads, opens_to(ace_of_trumps)
    ),
    "a card opened to one on the table": Cheat("face", PLAIN, leads, opens_to(card_on_the_table)),
    "a card that is not opened": Cheat("length", PLAIN, leads, with_field(1, ())),
    "a discard of another seat's card": Cheat(
        "rule.discard.slot", FOUR_CARDS, of_kind("move", "discard"), discards(others_slot)
    ),
    "the turned-up card laid aside": Cheat(
        "rule.discard.turned_up",
        DEALERS,
        lambda m: m.phase == "discard" and m.seat == m.azi.dealer,
        discards(turned_up),
    ),
    "two discards": Cheat(
        "rule.shape", FOUR_CARDS, of_kind("move", "discard"), move("discard", 0, 1)
    ),
    "a discard that is opened": Cheat(
        "encoding",
        FOUR_CARDS,
        of_kind("move", "discard"),
        opened_too,
    ),
    # (f) Claims.
    "a claim too few": Cheat("encoding", PLAIN, denies, claims(lambda proofs: ())),
    "a claim too many": Cheat("encoding", PLAIN, denies, claims(lambda p: (*p, *p))),
    "a proof too few": Cheat("encoding", PLAIN, denies_two, claims(lambda p: (p[0][:1],))),
    "a proof too many": Cheat("encoding", PLAIN, denies, claims(lambda p: ((*p[0], *p[0]),))),
    "proofs exchanged": Cheat("proof.claim", PLAIN, denies_two, claims(lambda p: (p[0][::-1],))),
    "a claim where none is due": Cheat("encoding", PLAIN, leads, claims(lambda p: ((),))),
    "a claim with another announcement": Cheat("point", PLAIN, denies, flipped_claim(0, 0)),
    "a claim with another challenge": Cheat("proof.claim", PLAIN, denies, flipped_claim(2)),
    "a claim with another answer": Cheat("proof.claim", PLAIN, denies, flipped_claim(3)),
    # (g) Looking.
    "the blind price after a look": Cheat(
        "rule.bid.chips", EAGER, has_looked, bid(lambda s, me: s.chips.stacks[me] + 20)
    ),
    "a second look": Cheat("rule.look.done", EAGER, has_looked, move("look")),
    "a look at a table without blind bids": Cheat("rule.look.off", PLAIN, answers, move("look")),
    "a look with shares": Cheat(
        "encoding", BLIND, is_blind, lambda scene: (("look",), opened(scene, 0), ())
    ),
    # (h) Shares and locks that are withheld.
    "a share too few at the deal": Cheat(
        "length", PLAIN, dealt, table_lies.true_shares(lambda bases: bases[:-1])
    ),
    "all shares of the pack at the deal": Cheat("length", PLAIN, dealt, table_lies.all_shares),
    "a wrong share at the deal": Cheat("proof.shares", PLAIN, dealt, table_lies.one_wrong_share),
    "shares exchanged at the deal": Cheat("proof.shares", PLAIN, dealt, table_lies.swapped_shares),
    "a wrong share of the turned-up card": Cheat(
        "proof.shares", BLIND, dealt, table_lies.one_wrong_share
    ),
    "a share too few for a look": Cheat(
        "length", EAGER, helps_to_look, table_lies.true_shares(lambda bases: bases[:-1])
    ),
    "a wrong share for a look": Cheat(
        "proof.shares", EAGER, helps_to_look, table_lies.one_wrong_share
    ),
    "shares of another key for a look": Cheat(
        "proof.shares", EAGER, helps_to_look, table_lies.other_keys_shares
    ),
    "a wrong share when all look": Cheat(
        "proof.shares", BLIND, helps_all_to_look, table_lies.one_wrong_share
    ),
    "a fold without its shares": Cheat("length", FOLDING, folds, move("fold")),
    "a fold with a share too few": Cheat(
        "length", FOLDING, folds, given(lambda slots, s, me: slots[:-1])
    ),
    "a fold with its own cards open": Cheat(
        "length", FOLDING, folds, given(lambda slots, s, me: tuple(sorted((*slots, *s.block(me)))))
    ),
    "a fold with its own cards instead": Cheat(
        "proof.shares",
        FOLDING,
        folds,
        given(lambda slots, s, me: (*s.block(me), *slots[len(s.block(me)) :])),
    ),
    "a fold with its shares exchanged": Cheat(
        "proof.shares", FOLDING, folds, given(lambda slots, s, me: slots[::-1])
    ),
    "no lock": Cheat("length", BLIND, locks, says()),
    "shares instead of a lock": Cheat("kind", BLIND, locks, as_kind("shares")),
    "a lock too short": Cheat("length", BLIND, locks, table_lies.short_lock),
    "a lock that nobody else can open": Cheat(
        "proof.lock", BLIND, locks, table_lies.lock_to_itself
    ),
    "a lock of another seat's slots": Cheat(
        "proof.lock", BLIND, locks, table_lies.lock_of_others_slots
    ),
    "a lock of other shares": Cheat(
        "proof.lock", BLIND, locks, table_lies.lock_on(lambda own: own[::-1])
    ),
    "a lock of another key's shares": Cheat(
        "proof.lock", BLIND, locks, table_lies.lock_with_another_key
    ),
    # Buying in.
    "a bid where it is asked to buy in": Cheat("rule.turn", HALF, is_asked, move("bid", 20)),
    "a price of its own": Cheat("rule.shape", HALF, is_asked, move("buy", 1)),
    "a share for a buy-in": Cheat("encoding", HALF, is_asked, says(("pass",), (b"",), ())),
    "a claim for a buy-in": Cheat("encoding", HALF, is_asked, says(("pass",), (), ((),))),
    "a buy-in that nobody asked for": Cheat("turn", HALF, is_asked, stray_move("buy"), stray=True),
    "a buy-in in place of READY": Cheat(
        "kind", TWO_HANDS, again_ready, as_kind("move", ("buy",), (), ())
    ),
    # (j) RESULT and SIT.
    "another result": Cheat("result", PLAIN, of_kind("result"), flipped(0)),
    "the result of a richer seat": Cheat("result", PLAIN, of_kind("result"), richer),
    "sitting on the table": Cheat("sit", TWO_HANDS, of_kind("sit"), says("on the table", ())),
}
"""Every one must be refused by all others, with this code."""
