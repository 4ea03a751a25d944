"""Two histories: who tells two seats two things is found, and whom it deceived is not blamed.

A seat can be on another history than this one for two reasons: it lies, or somebody showed it
another version of an entry. Only two versions side by side tell which, so these tests look at who
is named while the versions are still apart, and after they have met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from engine import Move
from engine.hazari.division import own_slots
from protocol.effects import Effect, Persist, Send
from protocol.envelope import Envelope, open_envelope, seal
from protocol.events import Stopped
from protocol.evidence import MOST_SHOWN
from protocol.packmaker import prove
from protocol.record import arrange
from protocol.verifier import verify
from protocol.wire import Value
from tests.protocol.tables import Table, entropy, make_table

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("once")]  # whole tables, again and again

LIAR = 3
HONEST = (0, 1, 2)

Payload = tuple[Value, ...]
Second = Callable[[Table, Envelope], Payload]
"""Another payload for an entry of the liar."""


def named(table: Table, seat: int) -> list[tuple[str, int | None]]:
    """What a seat has told, without repetitions: codes, and the seats they are laid to."""
    return list(dict.fromkeys((fault.code, fault.seat) for fault in table.seats[seat].faults))


def resealed(table: Table, envelope: Envelope, payload: Payload) -> bytes:
    """The liar's other entry for the same place and head."""
    place = (envelope.lane, envelope.step, envelope.seat)
    key = table.keys[envelope.seat]
    return seal(table.agreement, key, *place, envelope.head, envelope.kind, payload).data


class TwoFaces:
    """Gives one version of an entry to some seats and another to the others.

    While ``apart`` neither version is passed on to seats that were given the other one.
    """

    def __init__(self, table: Table, kind: str, second: Second, deceived: Iterable[int]) -> None:
        self.table = table
        self.kind = kind
        self.second = second
        self.deceived = frozenset(deceived)
        self.apart = True
        self.versions: tuple[bytes, bytes] | None = None

    def __call__(self, source: int, target: int, data: bytes) -> list[bytes]:
        """The tamper of a table."""
        envelope = open_envelope(data, self.table.agreement)
        if self.versions is None and (envelope.seat, envelope.kind) == (LIAR, self.kind):
            other = self.second(self.table, envelope)
            self.versions = (data, resealed(self.table, envelope, other))
        if self.versions is None or data not in self.versions:
            return [data]
        if source == LIAR:
            return [self.versions[target in self.deceived]]
        return [] if self.apart else [data]


def two_faced(table: Table, kind: str, second: Second, deceived: Iterable[int]) -> TwoFaces:
    """Sets a table up and plays until nothing moves, the two versions apart."""
    faces = TwoFaces(table, kind, second, deceived)
    table.tamper = faces
    table.begin()
    table.deliver()
    assert faces.versions is not None
    return faces


def let_meet(table: Table, faces: TwoFaces) -> None:
    """From now on both versions are passed on; what each seat was given last is sent again."""
    faces.apart = False
    assert faces.versions is not None
    for seat in HONEST:
        mine = faces.versions[seat in faces.deceived]
        table.queue.extend((seat, other, mine) for other in HONEST if other != seat)
    table.deliver()


def another_commitment(table: Table, envelope: Envelope) -> Payload:
    return (bytes(32),)


def another_deck(table: Table, envelope: Envelope) -> Payload:
    """The deck with two of its cards exchanged: as good a deck as the first, until PROVE."""
    halves: list[bytes] = []
    for half in envelope.payload:
        assert isinstance(half, bytes)
        halves.append(half[33:66] + half[:33] + half[66:])
    return tuple(halves)


def another_proof(table: Table, envelope: Envelope) -> Payload:
    """The same proof with other nonces: both hold."""
    session = table.seats[LIAR].session
    state = session.history.lanes[envelope.lane].rules
    secrets = session._own._packs[envelope.lane]
    return prove(state, secrets, bytes(32))  # type: ignore[arg-type]


def another_division(table: Table, envelope: Envelope) -> Payload:
    """The own slots in another division."""
    own = own_slots(LIAR)
    move: Move = ("up", own[:3], own[3:6], own[6:9], own[9:])
    if envelope.payload[0] == move:
        move = ("up", own[10:], own[:3], own[3:6], own[6:10])
    return (move, (), ())


def nonsense(table: Table, envelope: Envelope) -> Payload:
    """No payload that any step asks for."""
    return ("nonsense",)


SECOND: dict[str, Second] = {
    "commit": another_commitment,
    "open": nonsense,
    "mix": another_deck,
    "prove": another_proof,
    "ready": nonsense,
    "shares": nonsense,
    "move": another_division,
    "lock": nonsense,
    "result": nonsense,
}


@pytest.mark.parametrize("kind", ["commit", "mix", "prove", "move"])
def test_whom_a_liar_deceived_nobody_blames(kind: str) -> None:
    """While the two versions are apart the halves wait for each other, and name no seat.

    Nothing secret leaves meanwhile: after a fork in a pack's lane no share of it is given.
    """
    table = make_table("forks", options={"hands": 2})
    faces = two_faced(table, kind, SECOND[kind], deceived=(0,))
    for seat in HONEST:
        assert {who for _, who in named(table, seat)} <= {None}
        assert not table.seats[seat].session.over
    if kind in ("commit", "mix", "prove"):
        for seated in table.seats:
            kinds = {open_envelope(data, table.agreement).kind for data in seated.sent}
            assert "shares" not in kinds
    let_meet(table, faces)
    for seat in HONEST:
        assert [one for one in named(table, seat) if one[1] is not None] == [("equivocation", LIAR)]
        assert table.seats[seat].session.over


def test_the_pack_that_a_ready_stands_on_is_part_of_its_head() -> None:
    """Two valid proofs give two packs; a READY for the one is no lie to who has the other.

    The last step of a pack is the one fork that shows in another lane only.
    """
    table = make_table("forks", options={"hands": 1})
    two_faced(table, "prove", another_proof, deceived=(0,))
    heads = {
        open_envelope(table.seats[seat].entries[0, 1, seat], table.agreement).head
        for seat in HONEST
    }
    assert len(heads) == 2
    assert all(("head", None) in named(table, seat) for seat in HONEST)
    assert all(code != "ready.pack" for seat in HONEST for code, _ in named(table, seat))


def test_who_meets_another_history_shows_what_its_own_rests_on() -> None:
    """Without it two halves that missed each other's versions would wait for ever.

    Here the versions were lost on the way for good; nobody sends them again unasked.
    """
    table = make_table("forks", options={"hands": 2})
    faces = TwoFaces(table, "prove", another_proof, deceived=(0,))
    table.tamper = faces
    table.begin()
    while table.queue:
        # As soon as a READY is under way the links are whole again; what was lost stays lost.
        if open_envelope(table.queue[0][2], table.agreement).kind == "ready":
            faces.apart = False
        table.deliver(1)
        for seated in table.seats:
            seated.sent = []  # a link sends again what it is given again
    for seat in HONEST:
        assert {one for one in named(table, seat) if one[1] is not None} == {("equivocation", LIAR)}


def ended_for_one(table: Table, lost: bool) -> TwoFaces:
    """Plays on until nothing moves: the liar has told seat 0 that it leaves, and only that seat."""
    faces = TwoFaces(table, "sit", lambda table, envelope: ("leave", ()), deceived=(0,))
    faces.apart = lost
    table.tamper = faces
    table.begin()
    table.deliver()
    (stopped,) = [e for e in table.seats[0].events if isinstance(e, Stopped)]
    assert (stopped.code, stopped.seats) == ("left", (LIAR,))
    return faces


def test_a_seat_whose_table_was_ended_by_one_version_is_heard() -> None:
    """It has nothing more to say, but has passed on why; the others find the liar by it."""
    table = make_table("forks", options={"hands": 2})
    ended_for_one(table, lost=False)
    assert {who for _, who in named(table, 0)} <= {None}
    for seat in (1, 2):
        assert [one for one in named(table, seat) if one[1] is not None] == [("equivocation", LIAR)]


def test_what_ended_a_table_is_told_again_to_whom_it_did_not_reach() -> None:
    """The others wait for the seat that has stopped; when they are heard again, so is it.

    It answers every seat a few times, and then no more.
    """
    table = make_table("forks", options={"hands": 2})
    faces = ended_for_one(table, lost=True)
    for seat in (1, 2):
        assert {who for _, who in named(table, seat)} <= {None}
        assert 0 in {who for seats in table.seats[seat].session.missing().values() for who in seats}
    faces.apart = False
    table.seats[0].sent = []  # a link sends again what it is given again
    newest = max((p for p in table.seats[1].entries if p[2] == 1), key=lambda p: (p[0] > 0, p))
    again = table.seats[1].entries[newest]
    table.queue.append((1, 0, again))
    table.deliver()
    for seat in (1, 2):
        assert [one for one in named(table, seat) if one[1] is not None] == [("equivocation", LIAR)]
    answers = [len(table.seats[0].session.receive(again, 0.0)) for _ in range(MOST_SHOWN + 1)]
    assert answers[0] > 0
    assert answers[-1] == 0


def test_two_versions_that_come_early_are_both_shown() -> None:
    """A seat that is behind passes on neither before its time, but both when they meet."""
    table = make_table("forks")
    table.begin()
    session = table.seats[0].session
    versions = [
        seal(table.agreement, table.keys[LIAR], 1, 4, LIAR, bytes(32), "mix", (bytes([i]),)).data
        for i in range(2)
    ]
    assert session.receive(versions[0], 0.0) == []
    sent = [one.envelope for one in session.receive(versions[1], 0.0) if isinstance(one, Send)]
    assert sent == versions
    assert session.over


def all_shown(seed: int, topcard: str) -> Table:
    """A table of three in which everybody shows its card, but for the lowest."""
    table = make_table(f"turn {seed}", topcard, {"hands": 1}, seats=3)
    table.play = lambda seat, view: ("keep",) if "TS" in dict(view.hand).values() else ("show",)
    table.begin()
    return table


def moves(table: Table) -> list[Envelope]:
    """The moves of a hand, in their order."""
    entries = [open_envelope(data, table.agreement) for data in table.seats[0].entries.values()]
    return sorted((one for one in entries if one.kind == "move"), key=lambda one: one.step)


def test_a_seat_that_owes_on_its_own_history_only_is_not_out_of_turn(topcard: str) -> None:
    """The last to speak shows its card to one and keeps it to another: the one half has a RESULT
    to give while the other waits for a lock. That is no entry out of turn."""
    for seed in range(20):
        table = all_shown(seed, topcard)
        table.deliver()
        if all(one.payload[0] == ("show",) for one in moves(table)):
            break
    last = moves(table)[-1].seat
    one, other = (seat for seat in range(3) if seat != last)
    table = all_shown(seed, topcard)

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        if (envelope.seat, envelope.kind) != (last, "move"):
            return [data]
        if source != last:
            return []  # the versions stay apart
        return [data if target == other else resealed(table, envelope, (("keep",), (), ()))]

    table.tamper = tamper
    table.deliver()
    assert table.seats[one].session.history.table.stage == "lock"
    assert table.seats[other].session.history.table.stage == "result"
    assert ("head", None) in named(table, one)
    assert {who for seat in (one, other) for _, who in named(table, seat)} == {None}


# What can be made to be stored and sent.


def test_an_early_entry_is_kept_and_passed_on_when_its_step_opens() -> None:
    """Only then can it be seen to stand on the right history."""
    table = make_table("forks", options={"hands": 1})
    table.begin()
    held: list[bytes] = []
    late: list[bytes] = []

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        if target != 0 or envelope.seat != 1 or envelope.kind != "commit":
            return [data]
        late.append(data)
        return []

    table.tamper = tamper
    table.deliver()
    assert table.seats[0].session.positions()[1] == 1
    assert table.seats[1].session.positions()[1] == 2
    held = [data for place, data in table.seats[1].entries.items() if place[:2] == (1, 2)]
    assert held
    assert not [place for place in table.seats[0].entries if place[:2] == (1, 2)]
    assert not set(held) & set(table.seats[0].sent)
    table.tamper = lambda source, target, data: [data]
    table.queue.append((1, 0, late[0]))
    table.deliver()
    assert set(held) <= set(table.seats[0].sent)
    assert table.seats[0].session.over


def test_a_wrong_entry_sent_ahead_takes_nobodys_place() -> None:
    """Its author's right one counts, is stored, and the record is sound."""
    table = make_table("forks", options={"hands": 1})

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        if source != LIAR or envelope.seat != LIAR:
            return [data]
        place = (envelope.lane, envelope.step, LIAR, bytes(32), envelope.kind)
        wrong = seal(table.agreement, table.keys[LIAR], *place, envelope.payload)
        return [wrong.data, data]

    table.tamper = tamper
    table.begin()
    table.deliver()
    for seat in HONEST:
        assert {who for _, who in named(table, seat)} <= {None}
        assert table.seats[seat].session.over
        assert verify(table.record(seat)).verdict == "complete"
    assert len({table.record(seat) for seat in HONEST}) == 1


def test_the_evidence_against_a_liar_is_stored_with_the_entry() -> None:
    """Both versions, the one that was believed first: a seat that starts again knows at once."""
    table = make_table("forks", options={"hands": 1})
    faces = TwoFaces(table, "move", another_division, deceived=(0,))
    faces.apart = False
    stored: list[list[bytes]] = [[] for _ in range(4)]

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Persist):
            stored[seat].append(effect.envelope)

    table.watch = watch
    table.tamper = faces
    table.begin()
    table.deliver()
    assert faces.versions is not None
    for seat in HONEST:
        mine = faces.versions[seat in faces.deceived]
        theirs = faces.versions[seat not in faces.deceived]
        assert stored[seat].index(mine) < stored[seat].index(theirs)
        again = make_table("forks", options={"hands": 1})
        for data in stored[seat]:
            again.run(again.seats[seat].session.receive(data, 0.0), seat)
        assert again.seats[seat].session.over
        assert named(again, seat) == [("equivocation", LIAR)]


def test_two_signatures_under_one_body_are_one_entry() -> None:
    """Whoever signs twice has said one thing once."""
    table = make_table("forks")
    table.begin()
    good = table.seats[LIAR].sent[0]
    twin = good[:-1] + bytes([good[-1] ^ 1])
    assert table.seats[0].session.receive(good, 0.0)
    envelope = open_envelope(good, table.agreement)
    session = table.seats[0].session
    # Only the owner of the key can make a second signature that holds, so here it is only claimed.
    known = session._inbox.known(
        Envelope(
            twin,
            envelope.lane,
            envelope.step,
            envelope.seat,
            envelope.head,
            envelope.kind,
            envelope.payload,
            envelope.body_hash,
        )
    )
    assert known == twin


def test_a_record_can_be_made_of_whatever_is_stored() -> None:
    """A store that lacks entries gives the record up to the first of them, never an error."""
    table = make_table("forks", options={"hands": 1})
    table.begin()
    table.deliver()
    draw = entropy("holes")
    for _ in range(12):
        lacking = {place for place in table.seats[0].entries if draw(1)[0] < 8}
        kept = {p: d for p, d in table.seats[0].entries.items() if p not in lacking}

        def step_entries(lane: int, step: int, kept: dict = kept) -> dict[int, list[bytes]]:
            return {s: [kept[lane, step, s]] for s in range(4) if (lane, step, s) in kept}

        report = verify(arrange(table.sealed, step_entries))
        assert report.verdict == ("so far" if lacking else "complete")
        assert report.fault is None
