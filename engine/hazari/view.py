"""All that one person, bot or spectator may know of a hand of Hazari."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contract import Seat, View
from engine.hazari.dismissal import Dismissal
from engine.hazari.division import Division, SlotDivision
from engine.hazari.rounds import Round


@dataclass(frozen=True, slots=True)
class HazariView(View):
    """The view of one seat; every tuple with one item a seat is indexed by seat.

    ``hand`` (from View) pairs the own slots with their faces; ``owes`` is ``"up"`` or None.
    Before the show ``divisions`` is empty, as are ``rounds`` and ``scores``.
    """

    phase: str
    """``deal``, ``up``, ``lock``, ``show`` or ``over``."""
    hand_number: int
    """Hands dealt at this table so far, this one included; from 1."""
    dealer: Seat
    leader: Seat
    """The seat to the dealer's right, which leads the first round."""
    totals: tuple[int, ...]
    """Points of the match before this hand; with ``scores`` added, after it."""
    target: int
    """The total that ends the match (where ``hands`` is 0)."""
    hands: int
    """The number of hands that the match lasts; 0: until the target."""
    hands_played: int
    """Hands scored before this one."""
    hints: bool
    """Whether the page may suggest a division."""
    dismissal: str
    """``off``, ``no_run``, ``six_pairs`` or ``both``."""
    foul_scores_zero: bool = False
    owing: tuple[Seat, ...] = ()
    """Seats that owe a division, as far as the state knows (the step closes as a whole)."""
    gone: tuple[Seat, ...] = ()
    """Seats that have gone for the rest of the hand."""
    arranged: tuple[SlotDivision | None, ...] = (None, None, None, None)
    """What each seat said with "up", by slots: public, and says nothing before the show."""
    dismissed: tuple[Dismissal, ...] = ()
    """The hands that were shown in place of "up"; not empty: the hand is cancelled."""
    void: bool = False
    """Whether the hand ended because two or more seats' cards could not be shown."""
    divisions: tuple[Division, ...] = ()
    """After the show: the four divisions that count."""
    replaced: tuple[Seat, ...] = ()
    """After the show: seats for which the fallback division stands in, gone or foul."""
    foul: tuple[Seat, ...] = ()
    """After the show: seats whose own division was out of order."""
    rounds: tuple[Round, ...] = ()
    scores: tuple[int, ...] = ()
    """After the show: points of this hand."""
