"""A table as an onlooker sees it: everything is checked, nothing is said. SPEC 11.10."""

from __future__ import annotations

from engine import View
from protocol.follower import Follower
from protocol.history import Closed
from protocol.lane import Lane
from protocol.votes import Back, Leaving


class Watcher(Follower):
    """Follows a table without a seat. It judges each entry just as a seat does.

    Its driver keeps what ``Persist`` asks for, and has no use for ``Send``: the seats show each
    other what each other must see.
    """

    @property
    def view(self) -> View | None:
        """What is public of the hand in play; None between hands."""
        hand = self.history.table.hand
        return None if hand is None else hand.game.view(hand.state, None, hand.faces)

    def _is_own(self, seat: int) -> bool:
        return False

    @property
    def _is_stuck(self) -> bool:
        return False  # no clocks are kept here: the seats say that something is wrong

    def _stepped(self, closed: Closed, open_steps: set[tuple[Lane, int]]) -> None:
        """There is nothing to do."""

    def _went_back(self) -> None:
        """There is nothing to do."""

    def _forget(self) -> None:
        """There are no secrets here."""

    def _contribute(self) -> None:
        """Nothing is owed from here."""

    def _speak(self) -> bool:
        """Who looks on has no vote."""
        return False

    def _hear(self, word: Back | Leaving) -> None:
        """The seats note who comes and goes."""
