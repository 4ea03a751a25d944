"""What has come in: early envelopes, and the hashes by which a liar is found. SPEC 5.5."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from protocol.ballot import Question
from protocol.envelope import TABLE_LANE, Envelope, payload_of
from protocol.history import History
from protocol.lane import Lane

EARLY_STEPS = 64
"""How many steps ahead of the open one entries are kept: more than all but the longest bidding."""

KEPT_STEPS = 256
"""How many steps back entries are remembered, to show a liar's other version."""

Place = tuple[int, int, int]


@dataclass(slots=True)
class Inbox:
    """Envelopes by place (lane, step, seat). A place and a head have one entry, or a liar."""

    _seen: dict[tuple[Place, bytes], bytes] = field(default_factory=dict)
    _hashes: dict[tuple[Place, bytes], bytes] = field(default_factory=dict)
    _early: dict[Place, Envelope] = field(default_factory=dict)

    def known(self, envelope: Envelope) -> bytes | None:
        """The bytes already seen for this envelope's place and head; None if there are none.

        Two envelopes with one body are the same entry: then the envelope's own bytes.
        """
        twin = self._seen.get((_place(envelope), envelope.head))
        if twin is None:
            return None
        return envelope.data if _body(twin) == _body(envelope.data) else twin

    def remember(self, envelope: Envelope) -> None:
        """Files an envelope under its place and head."""
        self._seen[(_place(envelope), envelope.head)] = envelope.data
        self._hashes[(_place(envelope), envelope.head)] = envelope.body_hash

    def envelope(self, question: Question) -> bytes | None:
        """The envelope that a question is about, if it is here."""
        place = question.lane, question.step, question.about
        return self._seen.get((place, question.head))

    def held(self, question: Question) -> tuple[bytes, ...]:
        """The hash of the entry that a question is about, if it is here."""
        place = question.lane, question.step, question.about
        found = self._hashes.get((place, question.head))
        return () if found is None else (found,)

    def lying(self, lane: Lane) -> list[bytes]:
        """The entries of the open step that are here and are not laid down: after going back."""
        places = ((lane.number, lane.step, s) for s in lane.owed if s not in lane.entries)
        found = (self._seen.get((place, lane.head)) for place in places)
        return [data for data in found if data is not None]

    def keep_early(self, envelope: Envelope, step: int) -> bool:
        """Keeps an envelope for a step that is not open yet; False if it is too far ahead."""
        if envelope.step > step + EARLY_STEPS:
            return False
        # Another head for a place that is taken: the first one stands until its step opens, so
        # nobody can fill the memory with heads that nobody can judge yet.
        if _place(envelope) not in self._early:
            self.remember(envelope)
            # Unpacked, a payload may take forty times its bytes.
            self._early[_place(envelope)] = replace(envelope, payload=())
        return True

    def newest_before(self, lane: int, step: int) -> list[bytes]:
        """The envelopes of the newest step of a lane before ``step`` that are still kept."""
        steps = [place[1] for place, _ in self._seen if place[0] == lane and place[1] < step]
        newest = max(steps, default=0)
        return [data for (place, _), data in self._seen.items() if place[:2] == (lane, newest)]

    def size(self, lane: Lane) -> int:
        """The bytes of the open step's envelopes that stand on the lane's own history."""
        places = ((lane.number, lane.step, seat) for seat in lane.owed)
        return sum(len(self._seen.get((place, lane.head), b"")) for place in places)

    def due(self, lane: Lane) -> list[Envelope]:
        """The early envelopes whose step is open now, by seat; they are early no more."""
        places = sorted(p for p in self._early if p[0] == lane.number and p[1] == lane.step)
        early = [self._early.pop(place) for place in places]
        return [replace(one, payload=payload_of(one.data)) for one in early]

    def tidy(self, history: History) -> None:
        """Forgets what is too old to be of use."""
        oldest = history.newest - 2
        table_step = min(
            history.lanes[TABLE_LANE].step - KEPT_STEPS, history.oldest(TABLE_LANE) - 1
        )

        def of_use(place: Place) -> bool:
            if place[0] == TABLE_LANE:
                return place[1] > table_step
            asked_about = place[0] in history.past.waits
            return place[0] > oldest or asked_about or history.is_of_use(place[0])

        def still_early(place: Place) -> bool:
            lane = history.lanes.get(place[0])
            return place[0] > history.newest if lane is None else place[1] >= lane.step

        self._seen = {key: data for key, data in self._seen.items() if of_use(key[0])}
        late = [place for place in self._early if not (of_use(place) and still_early(place))]
        for place in late:
            # Its step will never open (again), so it is no part of any history either.
            self._seen.pop((place, self._early.pop(place).head), None)
        self._hashes = {key: one for key, one in self._hashes.items() if key in self._seen}


def _place(envelope: Envelope) -> Place:
    return envelope.lane, envelope.step, envelope.seat


def _body(data: bytes) -> bytes:
    """An envelope's body: all but the signature, which stands at the end."""
    return data[: -64 - 2]
