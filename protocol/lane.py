"""A lane of the record: a row of steps, each closed when every owed entry is there. SPEC 5.3.

Table lane and pack lanes are this one class; they differ only in the state behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from protocol import pack, table
from protocol.absence import ABSENT, GONE, Absent
from protocol.ballot import Question
from protocol.entries import Confirmed, Moved, Ready, Returned, Shares, Sits
from protocol.entries import Entry as TableEntry
from protocol.envelope import Envelope
from protocol.errors import PeerFault
from protocol.hashing import digest
from protocol.proofs import Deck, Lock, Pending, ShuffleProof

Rules: TypeAlias = "pack.PackState | table.TableState"
Entry: TypeAlias = "pack.Entry | TableEntry"

Given: TypeAlias = "Entry | Absent | None"
"""What stands for a seat in a step: its entry, or that it was declared gone; None: invalid."""


@dataclass(slots=True, eq=False)
class Lane:
    """One lane. ``step`` is the open step, from 1; ``head`` covers all steps before it.

    ``opened``: the open step of the table lane when this lane opened.
    """

    number: int
    rules: Rules
    head: bytes
    step: int = 1
    entries: dict[int, Given] = field(default_factory=dict)
    hashes: dict[int, bytes] = field(default_factory=dict)
    opened: int = 0

    @property
    def kind(self) -> str:
        """The kind of entry that the open step asks for."""
        return self.rules.kind

    @property
    def owed(self) -> tuple[int, ...]:
        """The seats that owe an entry in the open step, ascending."""
        return self.rules.owed

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats whose entry is not there yet."""
        return tuple(seat for seat in self.owed if seat not in self.entries)

    @property
    def complete(self) -> bool:
        """Whether the open step can be closed."""
        return bool(self.owed) and not self.missing

    def read(self, envelope: Envelope) -> tuple[Entry, tuple[Pending, ...]]:
        """Judges an envelope for the open step; raises PeerFault laid to its seat."""
        try:
            # The head first: on another history other seats may owe, and an honest one that was
            # deceived must not be blamed for it.
            if envelope.head != self.head:
                raise PeerFault("head", "an entry that stands on another history")
            if envelope.seat not in self.owed:
                raise PeerFault("turn", f"seat {envelope.seat} owes nothing in this step")
            if envelope.kind != self.kind:
                raise PeerFault(
                    "kind", f"an entry of kind {envelope.kind} where {self.kind} is due"
                )
            return self.rules.read(envelope.seat, envelope.payload)
        except PeerFault as fault:
            raise fault.at(envelope.seat, self.number, self.step) from None

    def put(self, seat: int, entry: Entry | None, body_hash: bytes) -> None:
        """Lays down a seat's entry for the open step; None: invalid, the seat counts as gone."""
        self.entries[seat] = entry
        self.hashes[seat] = ABSENT if entry is None else body_hash

    def absent(self, seat: int) -> None:
        """The seat was declared gone in the open step, whatever it has written there."""
        self.entries[seat] = Absent()
        self.hashes[seat] = GONE

    def copy(self) -> Lane:
        """A lane that goes its own way from here."""
        return replace(self, entries=dict(self.entries), hashes=dict(self.hashes))

    def question(self, seat: int) -> Question:
        """Does a seat's entry stand in the open step? SPEC 5.6."""
        return Question(self.number, self.step, self.head, seat)

    @property
    def next_head(self) -> bytes:
        """The head once the open step, which is complete, has closed."""
        hashes = [(seat, self.hashes[seat]) for seat in self.owed]
        return digest("head", self.head, self.step, hashes)

    def close(self) -> Mapping[int, Given]:
        """Closes the open step: next state, next head. Returns the entries by seat."""
        entries = {seat: self.entries[seat] for seat in self.owed}
        self.head = self.next_head
        if isinstance(self.rules, pack.PackState):
            self.rules = self.rules.close(pack_entries(entries))
        else:
            self.rules = self.rules.close(table_entries(entries))
        self.step += 1
        self.entries = {}
        self.hashes = {}
        return entries


def pack_entries(entries: Mapping[int, Given]) -> dict[int, pack.Entry | Absent | None]:
    """The entries of a pack lane, which are all of its own types."""
    kinds = (bytes, pack.Opening, Deck, ShuffleProof, Absent)
    return {s: entry if isinstance(entry, kinds) else None for s, entry in entries.items()}


def table_entries(entries: Mapping[int, Given]) -> dict[int, TableEntry | Absent | None]:
    """The entries of the table lane, which are all of its own types."""
    kinds = (Ready, Shares, Moved, Lock, Confirmed, Sits, Returned, Absent)
    return {s: entry if isinstance(entry, kinds) else None for s, entry in entries.items()}


def first_head(table_id: bytes, number: int, before: bytes, seats: tuple[int, ...]) -> bytes:
    """The head of a lane before its first step; ``before``: the head that it opens on."""
    return digest("lane", table_id, number, before, list(seats))
