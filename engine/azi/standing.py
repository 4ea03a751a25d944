"""What is carried from game to game: chips, the last winner, and who may play for a left bank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.azi.money import Chips, equal_parts, with_stacks
from engine.azi.options import ALL_ANTE, HALF_POT, Rules
from engine.azi.pack import clockwise
from engine.contract import MatchEnd, Seat, Standing

AS_USUAL: Final = ""
AFTER_AZI: Final = "azi"
AGAIN: Final = "again"


@dataclass(frozen=True, slots=True)
class AziStanding(Standing):
    """What is carried from game to game.

    ``stacks``: chips by seat. ``carried``: the bank that is nobody's contribution. ``winner``: the
    last real winner. ``entry`` says who plays the next game: all who can as usual; after an azi
    whom ``azi_entry`` lets in; a spent deal is dealt ``again`` to those who are left of it.

    ``heirs``: who are sure to play for the carried bank, and share it if nobody can. ``entered``:
    seats that bought in. ``azi_bank``: the bank as it stood at the azi. ``opener``: who opened the
    game that left the bank. ``free``: no ante is paid in the next game.

    ``dealt``: deals begun. ``played``: games that count as one of the match's ``hands``: all but
    void ones and spent deals.
    """

    stacks: tuple[int, ...]
    carried: int = 0
    winner: Seat | None = None
    entry: str = AS_USUAL
    heirs: tuple[Seat, ...] = ()
    entered: tuple[Seat, ...] = ()
    azi_bank: int = 0
    opener: Seat | None = None
    free: bool = False
    dealt: int = 0
    played: int = 0

    @property
    def chips(self) -> Chips:
        """The chips of the table before anybody has paid."""
        return with_stacks(self.stacks, self.carried)

    @property
    def price(self) -> int:
        """What it costs to buy in: half the bank as it stood at the azi, rounded up."""
        return (self.azi_bank + 1) // 2

    def with_chips(self, chips: Chips) -> AziStanding:
        """The standing with other stacks; contributions, if there are any, are carried."""
        pool = chips.pooled()
        return replace(self, stacks=pool.stacks, carried=pool.carried)

    def as_usual(self) -> AziStanding:
        """The standing from which all who can play the next game, the carried bank in it."""
        return replace(
            self, entry=AS_USUAL, heirs=(), entered=(), azi_bank=0, opener=None, free=False
        )


def players(rules: Rules, standing: AziStanding, present: frozenset[Seat]) -> tuple[Seat, ...]:
    """The present seats that can play the next game, ascending, however few they are.

    As usual it takes the whole ante, and at least one chip (ours). Heirs of a bank always play.
    """
    least = max(rules.ante, 1)
    able = {seat for seat, chips in enumerate(standing.stacks) if chips >= least}
    heirs = set(standing.heirs)
    if standing.entry == AS_USUAL:
        may = able
    elif standing.entry == AFTER_AZI and rules.azi_entry == ALL_ANTE:
        may = able | heirs
    elif standing.entry == AFTER_AZI and rules.azi_entry == HALF_POT:
        may = heirs | set(standing.entered)
    else:
        may = heirs
    return tuple(sorted(may & present))


def buyers(rules: Rules, standing: AziStanding, present: frozenset[Seat]) -> tuple[Seat, ...]:
    """The seats that are to be asked whether they buy in, clockwise from the opener."""
    if standing.entry != AFTER_AZI or rules.azi_entry != HALF_POT:
        return ()
    sure = {*standing.heirs, *standing.entered}
    least = max(standing.price, 1)
    able = {seat for seat, chips in enumerate(standing.stacks) if chips >= least}
    return clockwise((able & present) - sure, standing.opener or 0)


def shared_out(standing: AziStanding) -> tuple[tuple[Seat, int], ...]:
    """What each heir gets of a carried bank that is not played for: equal parts, clockwise.

    A bank without heirs, left when all seats of a game were gone, is everybody's (ours).
    """
    heirs = standing.heirs or range(len(standing.stacks))
    return equal_parts(standing.carried, clockwise(heirs, standing.opener or 0))


def concluded(
    rules: Rules, standing: AziStanding, present: frozenset[Seat]
) -> tuple[AziStanding, tuple[tuple[Seat, int], ...]]:
    """The standing now that it is known who plays, and what seats got of the carried bank.

    Two can play: as it is. One: it takes the carried bank, as the last winner. None: the heirs
    share it. The next game is as usual then.
    """
    able = players(rules, standing, present)
    if len(able) > 1:
        return standing, ()
    after = standing.as_usual()
    if not standing.carried:
        return after, ()
    parts = shared_out(standing)
    if able:
        parts = ((able[0], standing.carried),)
        after = replace(after, winner=able[0])
    return after.with_chips(after.chips.handed_out(parts)), parts


def ended(
    rules: Rules,
    standing: AziStanding,
    present: frozenset[Seat],
    barred: frozenset[Seat],
    settled: bool,
) -> MatchEnd | None:
    """The end of the match if it has come; ``settled``: no interlude would change the standing.

    The largest stack of those who are not ``barred`` wins (ours: who was caught cannot win).
    """
    stacks = standing.stacks
    if rules.hands and standing.played >= rules.hands:
        games = "one game" if rules.hands == 1 else f"{rules.hands} games"
        rule, why = "hands", f"after {games}"
    elif not standing.carried and sum(1 for chips in stacks if chips) == 1:
        rule, why = "chips", "with all the chips"
    elif settled and len(players(rules, standing, present)) < 2:
        rule, why = "few", "as fewer than two play on"
    else:
        return None
    able = tuple(seat for seat in range(len(stacks)) if seat not in barred)
    most = max((stacks[seat] for seat in able), default=0)
    first = tuple(seat for seat in able if stacks[seat] == most)
    if not first:
        return MatchEnd(
            None, rule, f"the match ends {why}, and all who played were caught cheating"
        )
    if len(first) == 1:
        return MatchEnd(first[0], rule, f"seat {first[0]} wins the match {why}: {most} chips")
    names = " and ".join(f"seat {seat}" for seat in first)
    return MatchEnd(None, "tie", f"{names} win the match together {why}: {most} chips each", first)
