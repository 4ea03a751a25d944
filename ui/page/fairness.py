"""How the packs of this table were made, as this computer saw it: the fairness panel's data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from protocol import events as table
from protocol.errors import PeerFault

MOST_FAULTS = 20

MOST_ABSENT = 20
"""So many who were declared gone are told, the last ones."""

KEPT = 6
"""Packs that are remembered, so that little is sent; the record has them all."""

DEALING = frozenset({"shares", "move", "lock"})
"""The steps of a hand in which cards may open."""


@dataclass(slots=True)
class PackStory:
    """One pack. ``steps``: kind, seats, head and bytes of each closed step. ``checked``: for each
    seat the seconds that checking its shuffle proof took here. ``opened``: entries with pieces of
    keys, or with moves that may hold some, that the hand has seen so far, and their size, by the
    table's step. ``numbers``: those of ``steps``. ``dealt``: the table's step that began its hand.
    ``earlier``: it was made, and all of it checked, before anything could be told here.
    """

    pack: int
    cards: int
    steps: list[dict[str, object]] = field(default_factory=list)
    checked: dict[int, float] = field(default_factory=dict)
    seats: tuple[int, ...] = ()
    head: str = ""
    hand: int = 0
    dealt: int = 0
    earlier: bool = False
    opened: dict[int, tuple[int, int]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)

    def back_to(self, step: int) -> None:
        """The lane stands at this step again, or another one has its number."""
        if step in self.numbers:
            keep = self.numbers.index(step)
            del self.numbers[keep:], self.steps[keep:]
            self.seats, self.head, self.hand, self.earlier = (), "", 0, False
            self.checked = {} if self.steps[-1:] == [] else self.checked
            self.opened = {}


@dataclass(slots=True)
class Fairness:
    """All packs of a table. ``current``: the pack that is dealt from; 0: none yet.

    ``resumed``: this program was started again at this table, and tells nothing of a pack that was
    made before; the peer has checked all of it once more.
    """

    cards: int
    own: int | None
    resumed: bool = False
    packs: dict[int, PackStory] = field(default_factory=dict)
    current: int = 0
    faults: list[dict[str, object]] = field(default_factory=list)
    absent: list[dict[str, object]] = field(default_factory=list)
    _table_step: int = 0

    def take(self, event: table.Event) -> bool:
        """Notes an event; whether it says anything about packs."""
        match event:
            case table.StepClosed() if event.lane > 0:
                story = self._pack(event.lane)
                story.back_to(event.step)
                story.numbers.append(event.step)
                story.steps.append(
                    {
                        "kind": event.kind,
                        "seats": event.seats,
                        "head": event.head.hex(),
                        "bytes": event.bytes,
                        "gone": event.gone,
                    }
                )
            case table.StepClosed():
                self._table_step = event.step
                if event.kind not in DEALING or self.current not in self.packs:
                    return False
                entries = (len(event.seats), event.bytes)
                self.packs[self.current].opened[event.step] = entries
            case table.ProofChecked():
                self._pack(event.pack).checked[event.seat] = round(event.seconds, 3)
            case table.PackFinished(pack, seats, head):
                story = self._pack(pack)
                story.seats, story.head = seats, head.hex()
            case table.HandStarted(hand, pack, _):
                self.current = pack
                story = self._pack(pack)
                story.hand, story.dealt = hand, self._table_step
                # No hand is dealt from a pack that is not finished, and no such one is unchecked.
                story.earlier = not story.head
            case table.DeclaredGone():
                self._declared(event)
            case table.WentBack():
                self._went_back(event)
            case _:
                return False
        return True

    def _declared(self, event: table.DeclaredGone) -> None:
        """Notes who was declared gone; ``hand``: in which one, 0 while a pack is made."""
        story = self.packs.get(self.current)
        hand = story.hand if story is not None and not event.lane else 0
        self.absent.append(
            {
                "seat": event.seat,
                "by": event.by,
                "lane": event.lane,
                "step": event.step,
                "hand": hand,
            }
        )
        del self.absent[:-MOST_ABSENT]

    def _went_back(self, event: table.WentBack) -> None:
        """What came after that step has not happened."""
        lane, step = event.lane, event.step

        def stays(one: dict[str, object]) -> bool:
            number = one["step"]
            assert isinstance(number, int)
            return one["lane"] != lane or number < step

        self.absent = [one for one in self.absent if stays(one)]
        story = self.packs.get(self.current)
        if lane:
            if lane in self.packs:
                self.packs[lane].back_to(step)
        elif story is not None and story.dealt >= step > 0:
            story.hand, story.opened = 0, {}  # it is not dealt from yet
        elif story is not None:
            story.opened = {n: one for n, one in story.opened.items() if n < step}
        if story is not None and not story.hand:
            before = [n for n, one in self.packs.items() if n < self.current and one.hand]
            self.current = max(before, default=0)

    def remember(self, hand: int, head: str) -> None:
        """The pack of a hand that was dealt before the restart has this head: pack 0 here."""
        self.packs[0] = PackStory(0, self.cards, head=head, hand=hand)

    def recall(self, absent: list[dict[str, object]]) -> None:
        """Who was declared gone before this program was started again."""
        self.absent = [*absent, *self.absent][-MOST_ABSENT:]

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
            "resumed": self._is_earlier(),
            "faults": list(self.faults),
            "absent": list(self.absent),
            "packs": [
                {
                    "pack": one.pack,
                    "hand": one.hand,
                    "seats": one.seats,
                    "head": one.head,
                    "steps": list(one.steps),
                    "opened": [sum(n) for n in zip(*one.opened.values(), strict=True)] or [0, 0],
                    "checked": [[seat, one.checked[seat]] for seat in sorted(one.checked)],
                }
                for one in self.packs.values()
            ],
        }

    def _is_earlier(self) -> bool:
        """Whether nothing is known here of how the pack in play was made."""
        story = self.packs.get(self.current)
        return self.resumed if story is None or not self.current else story.earlier

    def _is_checked(self) -> bool:
        """Whether the pack in play is finished: only then every proof of it was checked here."""
        story = self.packs.get(self.current)
        return self.current > 0 and story is not None and bool(story.head)
