"""A standing of Azi from plain values: no chip is made or lost, and what is left hangs together.

Rules: SPEC.md, section 14.7.
"""

from __future__ import annotations

from typing import Final

from engine.azi.options import ALL_ANTE, HALF_POT, Rules
from engine.azi.standing import AFTER_AZI, AGAIN, AS_USUAL, AziStanding
from engine.contract import StandingError
from engine.reading import MAX_HANDS, ascending_seats, items, number, numbers, optional_seat, switch

NAMES: Final = (
    "stacks",
    "carried",
    "winner",
    "entry",
    "heirs",
    "entered",
    "azi_bank",
    "opener",
    "free",
    "dealt",
    "played",
)

FEWEST_AGAIN: Final = 2
"""A deal is lost, and not the game, only where two at least are left of it."""


def restored(rules: Rules, seats: int, plain: object) -> AziStanding:
    """The standing that ``plain_standing`` gives so; raises StandingError for any other values."""
    values = dict(zip(NAMES, items(plain, NAMES), strict=True))
    total = seats * rules.stack
    dealt = number(values["dealt"], MAX_HANDS, "dealt")
    entry = values["entry"]
    if not isinstance(entry, str) or entry not in (AS_USUAL, AFTER_AZI, AGAIN):
        raise StandingError("entry is not one of the words for who plays the next game")
    found = AziStanding(
        stacks=numbers(values["stacks"], seats, total, "stacks"),
        carried=number(values["carried"], total, "carried"),
        winner=optional_seat(values["winner"], seats, "winner"),
        entry=entry,
        heirs=ascending_seats(values["heirs"], seats, "heirs"),
        entered=ascending_seats(values["entered"], seats, "entered"),
        azi_bank=number(values["azi_bank"], total, "azi_bank"),
        opener=optional_seat(values["opener"], seats, "opener"),
        free=switch(values["free"], "free"),
        dealt=dealt,
        played=number(values["played"], dealt, "played"),
    )
    objection = _objection(rules, found, total)
    if objection:
        raise StandingError(objection)
    return found


def _objection(rules: Rules, standing: AziStanding, total: int) -> str:
    """Why no match can have come to this standing; empty if one can."""
    if sum(standing.stacks) + standing.carried != total:
        return f"stacks and bank are not the {total} chips of the table"
    if not standing.dealt:
        untouched = AziStanding((rules.stack,) * len(standing.stacks))
        return "" if standing == untouched else "no game was dealt, and something has changed"
    if standing.opener is None and (standing.carried or standing.heirs or standing.entry):
        return "a bank is left by a game that nobody has opened"
    return _entry_objection(rules, standing)


def _entry_objection(rules: Rules, standing: AziStanding) -> str:
    """As ``_objection``: who may play for a bank, and how large it is."""
    heirs, entered, bank = standing.heirs, standing.entered, standing.azi_bank
    if standing.entry == AS_USUAL:
        usual = not entered and not bank and not standing.free
        return "" if usual else "all may play the next game, and yet a bank is played for"
    if entered and (standing.entry, rules.azi_entry) != (AFTER_AZI, HALF_POT):
        return "nobody can have bought in"
    if set(heirs) & set(entered):
        return "an heir has bought in"
    if len(heirs) < (FEWEST_AGAIN if standing.entry == AGAIN else 1):
        return "nobody is there for whom the bank was left"
    if standing.entry == AFTER_AZI and not bank:
        return "an azi left nothing"
    if standing.free != (bank > 0 and rules.azi_entry != ALL_ANTE):
        return "an ante is due or not as the last azi says"
    if standing.carried < bank + standing.price * len(entered):
        return "the bank is smaller than what was left and paid in"
    return ""
