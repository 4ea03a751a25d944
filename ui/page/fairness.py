"""How the packs of this table were made, as this computer saw it: the fairness panel's data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from protocol import events as table
from protocol.errors import PeerFault

MOST_FAULTS = 20

KEPT = 6
"""Packs that are remembered, so that little is sent; the record has them all."""

DEALING = frozenset({"shares", "move", "lock"})
"""The steps of a hand in which cards may open."""


@dataclass(slots=True)
class PackStory:
    """One pack. ``steps``: kind, seats, head and bytes of each closed step. ``checked``: for each
    seat the seconds that checking its shuffle proof took here. ``opened``: entries with pieces of
    keys, or with moves that may hold some, that the hand has seen so far; ``opened_bytes``: their
    size."""

    pack: int
    cards: int
    steps: list[dict[str, object]] = field(default_factory=list)
    checked: dict[int, float] = field(default_factory=dict)
    seats: tuple[int, ...] = ()
    head: str = ""
    hand: int = 0
    opened: int = 0
    opened_bytes: int = 0


@dataclass(slots=True)
class Fairness:
    """All packs of a table. ``current``: the pack that is dealt from; 0: none yet.

    ``resumed``: this program was started again at this table, and tells nothing of a hand that was
    dealt before; the peer has checked all of it once more.
    """

    cards: int
    own: int | None
    resumed: bool = False
    packs: dict[int, PackStory] = field(default_factory=dict)
    current: int = 0
    faults: list[dict[str, object]] = field(default_factory=list)

    def take(self, event: table.Event) -> bool:
        """Notes an event; whether it says anything about packs."""
        match event:
            case table.StepClosed() if event.lane > 0:
                story = self._pack(event.lane)
                story.steps.append(
                    {
                        "kind": event.kind,
                        "seats": event.seats,
                        "head": event.head.hex(),
                        "bytes": event.bytes,
                        "gone": event.gone,
                    }
                )
            case table.StepClosed() if event.kind in DEALING and self.current in self.packs:
                story = self.packs[self.current]
                story.opened += len(event.seats)
                story.opened_bytes += event.bytes
            case table.ProofChecked():
                self._pack(event.pack).checked[event.seat] = round(event.seconds, 3)
            case table.PackFinished(pack, seats, head):
                story = self._pack(pack)
                story.seats, story.head = seats, head.hex()
            case table.HandStarted(hand, pack, _):
                self.current = pack
                self._pack(pack).hand = hand
            case _:
                return False
        return True

    def remember(self, hand: int, head: str) -> None:
        """The pack of a hand that was dealt before the restart has this head: pack 0 here."""
        self.packs[0] = PackStory(0, self.cards, head=head, hand=hand)

    def blame(self, fault: PeerFault, name: str) -> None:
        """Notes that somebody broke the protocol."""
        self.faults.append(
            {"seat": fault.seat, "name": name, "code": fault.code, "text": fault.text}
        )
        del self.faults[:-MOST_FAULTS]

    def _pack(self, number: int) -> PackStory:
        if number not in self.packs:
            self.packs[number] = PackStory(number, self.cards)
            for old in sorted(self.packs)[:-KEPT]:
                if old != self.current:
                    del self.packs[old]
        return self.packs[number]

    def plain(self) -> dict[str, object]:
        """The section ``fair``; docs/page.md."""
        return {
            "current": self.current,
            "cards": self.cards,
            "orders": str(math.factorial(self.cards)),
            "checked": self._is_checked(),
            "resumed": self.resumed and not self.current,
            "faults": list(self.faults),
            "packs": [
                {
                    "pack": one.pack,
                    "hand": one.hand,
                    "seats": one.seats,
                    "head": one.head,
                    "steps": list(one.steps),
                    "opened": [one.opened, one.opened_bytes],
                    "checked": [[seat, one.checked[seat]] for seat in sorted(one.checked)],
                }
                for one in self.packs.values()
            ],
        }

    def _is_checked(self) -> bool:
        """Whether the pack in play is finished: only then every proof of it was checked here."""
        story = self.packs.get(self.current)
        return self.current > 0 and story is not None and bool(story.head)
