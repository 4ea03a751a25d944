"""Those who look on at a member's table: who they are, and what they get. SPEC 11.10.

Nobody here has a say at the table, so nobody may cost it much: places are few, answers come one
after the other and not too fast, and what somebody does not read is not sent twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice

import trio

from p2p.budget import Budgets
from p2p.catchup import PORTION_BYTES, Vote
from p2p.events import PlayerInfo, SpectatorsChanged
from p2p.following import Around
from p2p.messages import MAX_ONLOOKERS, Agreed, Entries, Have, Members, Onlookers, Unwatch

ANSWER_GAP = 0.1
"""Seconds for each portion's bytes that those who look on are sent, all of them together: at most
5 MiB/s."""

ANSWER_BYTES = 1024 * 1024
"""With more than this waiting for a key, it must read before it is answered again."""

NAME_GAP = 1.0
"""Seconds between two short forms that are worked out for this."""

NAME_LOOK = 0.25
"""Seconds until it is looked whether one is there."""

WELCOME_A_SECOND = 0.5
WELCOME_BURST = 4
"""How often one key is given the agreement: once a link is what it takes."""

OWN_GAP = 1.0
OTHERS_GAP = 10.0
"""Seconds between two tellings of who looks on: here, and with the other members."""

LEFT = Unwatch("closed", "this player has left the table")

Named = tuple[bytes, str]


class Gallery:
    """At most MAX_ONLOOKERS keys with the names that they give themselves, by one member's links.

    What the members tell of theirs is a hint for people. ``votes``: those that go to whoever asks.
    """

    def __init__(
        self,
        table: bytes,
        members: tuple[bytes, ...],
        around: Around,
        votes: Callable[[], Sequence[Vote]],
    ) -> None:
        self._table = table
        self._members = members
        self._around = around
        self._votes = votes
        self._names: dict[bytes, str] = {}
        self._elsewhere: dict[bytes, tuple[Named, ...]] = {}
        self._asked: dict[bytes, Have] = {}
        self._answer_at = float("-inf")
        self._told = float("-inf")
        self._named = float("-inf")
        self._tell_at = float("inf")
        self._shown: tuple[Named, ...] = ()
        self._people: tuple[PlayerInfo, ...] = ()
        self._sealed = b""
        self._welcomed = Budgets(WELCOME_A_SECOND, WELCOME_BURST)

    def __contains__(self, key: bytes) -> bool:
        return key in self._names

    @property
    def keys(self) -> tuple[bytes, ...]:
        """Those who look on by a link of this peer."""
        return tuple(self._names)

    @property
    def readers(self) -> tuple[bytes, ...]:
        """Those of them who read what they are sent; the others must ask for what they miss."""
        mesh = self._around.mesh
        return tuple(key for key in self._names if mesh.waiting_bytes(key) < ANSWER_BYTES)

    @property
    def due(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        answer = self._answer_at if self._asked else float("inf")
        return min(answer, self._tell_at)

    def admit(self, key: bytes, name: str) -> bool:
        """A place for this key, if there is one."""
        if len(self._names) >= MAX_ONLOOKERS:
            return False
        self._names[key] = name
        self._note(OWN_GAP)
        return True

    async def welcome(self, key: bytes, members: Members) -> None:
        """Gives the agreement, and where the members can be reached, to one who looks on."""
        mesh = self._around.mesh
        if not self._welcomed.spend(key, trio.current_time()):
            return
        if mesh.waiting_bytes(key) < ANSWER_BYTES:
            self._sealed = self._sealed or await self._around.store.sealed(self._table)
            mesh.post((key,), Agreed(self._sealed))
            mesh.post((key,), members)

    def leave(self, key: bytes) -> None:
        """This key looks on no more."""
        self._asked.pop(key, None)
        if self._names.pop(key, None) is not None:
            self._note(OWN_GAP)

    def asked(self, key: bytes, have: Have) -> None:
        """This key asks for entries; nothing happens if it does not look on. It has one question.

        Who asks again keeps its place among those who wait.
        """
        if key in self._names:
            self._asked[key] = have

    def told(self, member: bytes, players: tuple[Named, ...]) -> None:
        """A member tells who looks on by its links."""
        if self._elsewhere.get(member, ()) != players:
            self._elsewhere[member] = players
            self._note(OTHERS_GAP)

    def close(self) -> None:
        """This peer has left the table: those who look on must do so by another member."""
        self._around.mesh.post(self.keys, LEFT)
        for key in self.keys:
            self.leave(key)

    def linked(self, member: bytes) -> None:
        """There is a new link with a member."""
        if self._shown:
            self._around.mesh.post((member,), Onlookers(self._table, self._shown))

    def unlinked(self, key: bytes) -> None:
        """There is no link with this key any more."""
        self.leave(key)
        if self._elsewhere.pop(key, None):
            self._note(OTHERS_GAP)

    async def tick(self, now: float) -> None:
        """Time has passed: answers one question, tells who looks on."""
        if self._asked and now >= self._answer_at:
            key = next(iter(self._asked))
            have = self._asked.pop(key)
            portions = 1.0
            if self._around.mesh.waiting_bytes(key) < ANSWER_BYTES:
                answer = await self._around.store.answer(have, self._votes())
                for entries in answer:
                    self._around.mesh.post((key,), entries)
                portions = max(1.0, sum(map(_size, answer)) / PORTION_BYTES)
            self._answer_at = now + ANSWER_GAP * portions
        if now >= self._tell_at:
            self._told, self._tell_at = now, float("inf")
            await self._tell()

    def _note(self, gap: float) -> None:
        due = max(trio.current_time(), self._told + gap)
        self._tell_at = min(self._tell_at, due)

    async def _tell(self) -> None:
        own = tuple(self._names.items())
        if own != self._shown:
            self._shown = own
            self._around.mesh.post(self._members, Onlookers(self._table, own))
        everybody = dict(chain(own, *self._elsewhere.values()))
        some = list(islice(everybody.items(), MAX_ONLOOKERS))
        shorts = self._around.shorts
        unknown = [key for key, _ in some if shorts.known(key) is None]
        if unknown:
            # Members can make up keys: they must not keep this peer busy with short forms.
            if self._told >= self._named + NAME_GAP:
                self._named = self._told
                shorts.later(unknown[0])
            self._note(NAME_LOOK)
        players = tuple(
            PlayerInfo(key, name, short)
            for key, name in some
            if (short := shorts.known(key)) is not None
        )
        if players != self._people:
            self._people = players
            self._around.tell(SpectatorsChanged(players))


def _size(entries: Entries) -> int:
    return sum(map(len, entries.envelopes)) + sum(len(v) + len(e) for v, e in entries.votes)
