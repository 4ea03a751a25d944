"""How many may stand at the door: a cap on links that have not proved a key yet. SPEC 11.2.

Before AUTH nobody is known but by the address they come from. So half of the places are kept for
addresses that belong to members of our tables and to pinned peers: strangers who fill the other
half can keep out strangers, never the people we play with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from p2p.interfaces import is_loopback
from p2p.transport import network_of

MOST = 8
MOST_STRANGERS = 4
MOST_OF_ONE_PLACE = 2
"""Per IPv4 address or IPv6 /64. Not on loopback, where all peers of a machine share one."""


class Gate:
    """Counts who is inside; ``is_known`` tells whether an address is one of people we know."""

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        self._places: Counter[str] = Counter()
        self._strangers = 0

    @contextmanager
    def admit(self, host: str) -> Iterator[bool]:
        """Hold a place during the block if this host gets one; the value tells whether it did."""
        place = network_of(host)
        stranger = not self._is_known(host)
        if not self._has_room(host, place, stranger):
            yield False
            return
        self._places[place] += 1
        self._strangers += stranger
        try:
            yield True
        finally:
            self._places[place] -= 1
            self._strangers -= stranger
            self._places += Counter()  # drops the places that are at zero

    def _has_room(self, host: str, place: str, stranger: bool) -> bool:
        if self._places.total() >= MOST or (stranger and self._strangers >= MOST_STRANGERS):
            return False
        return is_loopback(host) or self._places[place] < MOST_OF_ONE_PLACE
