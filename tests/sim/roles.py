"""Liars: what one seat of a table does wrong, by a source of chance of its own.

A role changes as little as it needs of a real program: the entries that its session signs, what it
posts to whom, the bytes that go out, or it does something besides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from p2p import codec
from p2p.endpoint import Endpoint
from p2p.frames import LinkDown
from p2p.messages import (
    Agreed,
    Chat,
    Entries,
    EnvelopeMessage,
    Have,
    LanePosition,
    Members,
    Message,
    Onlookers,
    Ping,
    Statement,
    Unwatch,
    VoteMessage,
)
from p2p.transport import Address
from protocol.agreement import Agreement
from protocol.ballot import GONE, MAX_ROUND, Ballot, Question, Vote
from protocol.effects import SendVote
from protocol.envelope import TABLE_LANE, open_envelope, seal
from protocol.errors import PeerFault
from protocol.lane import Lane
from protocol.session import Session
from protocol.votes import open_word, seal_back, seal_leaving, seal_vote
from protocol.wire import Value, pack
from tests.p2p.lobby_room import hash_stream
from tests.protocol import table_lies
from tests.protocol.forger import Alter, Payload, Place, Scene
from tests.protocol.liar import Liar
from tests.sim.machine import PORT, Machine, identity_of
from tests.sim.network import SimTransport
from tests.sim.plan import STRANGER

if TYPE_CHECKING:
    from tests.sim.world import World

Post = tuple[tuple[bytes, ...], Message]


class Role:
    """Somebody who is honest; what liars have in common."""

    session: Callable[..., Session] = Session

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def posts(self, keys: tuple[bytes, ...], message: Message) -> Iterable[Post]:
        """What is really posted to whom."""
        return ((keys, message),)

    def says(self, data: bytes) -> list[bytes]:
        """The pieces that really go out in place of these bytes."""
        return [data]

    async def work(self, machine: Machine) -> None:
        """What it does besides, as long as its program runs."""


# Those who sign what is false.


class _Whims:
    """Lies by place, made up when the place comes: what ``Liar`` takes for a mapping."""

    def __init__(self, choose: Callable[[Place], Alter | None]) -> None:
        self._choose = choose
        self._chosen: dict[Place, Alter | None] = {}

    def get(self, place: Place) -> Alter | None:
        """The lie of this place, or None."""
        if place not in self._chosen:
            self._chosen[place] = self._choose(place)
        return self._chosen[place]

    def __contains__(self, place: Place) -> bool:
        return self.get(place) is not None

    def __getitem__(self, place: Place) -> Alter:
        alter = self.get(place)
        assert alter is not None
        return alter


class Forger(Role):
    """Signs one entry, or a few, that are false in any way; else it is honest."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.number = self.chance.randrange(24)
        self.count = 0

    @property
    def session(self) -> Callable[..., Session]:  # type: ignore[override]
        """A liar's."""
        return self._session

    def _session(self, *about: object) -> Session:
        liar = Liar(*about)  # type: ignore[arg-type]
        liar.lie(_Whims(self._choose))  # type: ignore[arg-type]
        return liar

    def _choose(self, place: Place) -> Alter | None:
        self.count += 1
        if self.count <= self.number:
            return None
        self.number += 1 + self.chance.randrange(8)
        return self.lie

    def lie(self, scene: Scene) -> Payload | bytes:
        """A payload that is wrong somehow."""
        ways: Sequence[Alter] = (
            self._flip,
            self._drop,
            self._repeat,
            self._junk,
            self._kind,
            self._shares,
            self._copy,
        )
        return self.chance.choice(ways)(scene)

    def _flip(self, scene: Scene) -> Payload:
        """One bit of one field, however deep."""
        places = [i for i, value in enumerate(scene.payload) if isinstance(value, bytes) and value]
        if not places:
            return self._junk(scene)
        at = self.chance.choice(places)
        data = bytearray(scene.payload[at])  # type: ignore[arg-type]
        data[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
        return (*scene.payload[:at], bytes(data), *scene.payload[at + 1 :])

    def _drop(self, scene: Scene) -> Payload:
        at = self.chance.randrange(len(scene.payload)) if scene.payload else 0
        return scene.payload[:at] + scene.payload[at + 1 :]

    def _repeat(self, scene: Scene) -> Payload:
        """What it said before in an entry of this kind: another hand, lane or step."""
        own = [e for e in scene.earlier.values() if e.seat == scene.seat]
        same = [e for e in own if e.kind == scene.lane.kind]
        return self.chance.choice(same).payload if same else self._junk(scene)

    def _copy(self, scene: Scene) -> Payload:
        """What another seat has said in an entry of this kind."""
        others = [e for e in scene.earlier.values() if e.seat != scene.seat]
        same = [e for e in others if e.kind == scene.lane.kind]
        return self.chance.choice(same).payload if same else self._flip(scene)

    def _junk(self, scene: Scene) -> Payload:
        values: list[Value] = [b"", b"junk", 7, "junk", (), ((b"", 1), "x")]
        return tuple(self.chance.choice(values) for _ in range(self.chance.randrange(4)))

    def _kind(self, scene: Scene) -> bytes:
        kinds = ("commit", "open", "mix", "prove", "ready", "shares", "move", "result", "sit")
        return scene.sealed(kind=self.chance.choice([k for k in kinds if k != scene.lane.kind]))

    def _shares(self, scene: Scene) -> Payload | bytes:
        """Shares as they should not be, with proofs as good as lies can make them."""
        if scene.lane.kind != "shares":
            return self._flip(scene)
        lies = (
            table_lies.swapped_shares,
            table_lies.one_wrong_share,
            table_lies.other_keys_shares,
            table_lies.all_shares,
            table_lies.true_shares(lambda bases: bases[:-1]),
        )
        try:
            return self.chance.choice(lies)(scene)
        except ValueError:  # too few are due to exchange any
            return self._flip(scene)


class Equivocator(Forger):
    """Says two things in one place: some get the one, the others the other."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._liar: Liar | None = None

    def _session(self, *about: object) -> Session:
        liar = self._liar = Liar(*about)  # type: ignore[arg-type]
        twins = _Whims(self._choose)
        liar.lie({}, twins=twins)  # type: ignore[arg-type]
        return liar

    def lie(self, scene: Scene) -> Payload | bytes:
        """Another version, where it can be as good as the first."""
        kind, payload = scene.lane.kind, scene.payload
        if kind == "commit":
            return (self.chance.randbytes(32),)
        if kind == "sit":
            return (self.chance.choice([c for c in ("in", "out", "leave") if (c,) != payload]),)
        if kind == "move" and len(payload) == 3 and payload[1:] == ((), ()):
            word = self.chance.choice(("fold", "keep", "late", "pass", "level"))
            if payload[0] != (word,):
                return ((word,), (), ())
        twin = super().lie(scene)
        return self._flip(scene) if twin == payload else twin

    def posts(self, keys: tuple[bytes, ...], message: Message) -> Iterable[Post]:
        """Each member gets one version or the other."""
        if isinstance(message, EnvelopeMessage) and self._liar is not None:
            twin = self._liar.versions.get(message.envelope)
            if twin is not None:
                some = tuple(key for key in keys if self.chance.random() < 0.5)
                rest = tuple(key for key in keys if key not in some)
                yield rest, message
                yield some, EnvelopeMessage(message.table, twin)
                return
        yield keys, message


class _Mute(Session):
    """A session that follows, and from some moment on says nothing any more."""

    words = 0

    def _prepare(self, lane: Lane, kind: str, work: Callable[[], Payload]) -> None:
        self.words -= 1
        if self.words >= 0:
            super()._prepare(lane, kind, work)


class Silent(Role):
    """Links, follows, passes on, and does not say what it owes."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.words = self.chance.randrange(20)

    @property
    def session(self) -> Callable[..., Session]:  # type: ignore[override]
        """One that falls silent."""

        def make(*about: object) -> Session:
            session = _Mute(*about)  # type: ignore[arg-type]
            session.words = self.words
            return session

        return make


class Stray(Role):
    """Answers shares for positions that nobody has asked for: of the whole pack, to all or one."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.number = self.chance.randrange(8)

    @property
    def session(self) -> Callable[..., Session]:  # type: ignore[override]
        """A liar's, with strays."""
        return self._session

    def _session(self, *about: object) -> Session:
        role = self

        class Straying(Liar):
            def _contribute(self) -> None:
                lane = self.history.lanes.get(TABLE_LANE)
                hand = self.history.table.hand
                if hand is not None and lane is not None and not hand.is_interlude:
                    role.number -= 1
                    if role.number == 0:
                        self.strays[TABLE_LANE, lane.step] = _all_shares
                super()._contribute()

        liar = Straying(*about)  # type: ignore[arg-type]
        liar.lie({})
        return liar

    def posts(self, keys: tuple[bytes, ...], message: Message) -> Iterable[Post]:
        """Now and then one alone gets what is for all."""
        if isinstance(message, EnvelopeMessage) and self.chance.random() < 0.1:
            return ((keys[:1], message), (keys[1:], message))
        return ((keys, message),)


def _all_shares(scene: Scene) -> bytes:
    payload: Payload
    try:
        payload = table_lies.all_shares(scene)
    except (AssertionError, ValueError, AttributeError, TypeError):
        payload = (b"\2" * 33,) * 3 + (bytes(32),)
    return scene.sealed(payload, kind="shares")


# Those who misuse votes.


class Shunner(Role):
    """Calls seats gone whose entries it has, all of them or now and then one."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.share = self.chance.choice((1.0, 0.3, 0.05))

    @property
    def session(self) -> Callable[..., Session]:  # type: ignore[override]
        """One that doubts."""
        role = self

        class Doubting(Session):
            _asked_once: set[Question]

            def _contribute(self) -> None:
                super()._contribute()
                if not self._began or self._halted:
                    return
                for lane in self._asked_about():
                    for seat in lane.missing:
                        self._doubt(lane, seat)

            def _doubt(self, lane: Lane, seat: int) -> None:
                question = Question(lane.number, lane.step, lane.head, seat)
                if seat == self.seat or question in self._asked_once:
                    return
                self._asked_once.add(question)
                if role.chance.random() > role.share:
                    return
                ballot = self._polls.ballot(question, self.history)
                if ballot is not None and ballot.vote_of(self.seat, 1) is None:
                    _call_gone(self, ballot, question)

        def make(*about: object) -> Session:
            session = Doubting(*about)  # type: ignore[arg-type]
            session._asked_once = set()
            return session

        return make


def _call_gone(session: Session, ballot: Ballot, question: Question) -> None:
    """Signs a vote, writes it down as an honest program does, and says it."""
    about = session.agreement, session._key, session.seat, question
    vote = seal_vote(*about, "vote", 1, GONE, 0)
    ballot.add(vote)
    session._note(vote)
    session._effects.append(SendVote(vote.data))


class Perjurer(Role):
    """Votes twice in a round, or for something else than what it stands by; not all hear both."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.share = self.chance.choice((1.0, 0.3))
        self.twins: dict[bytes, bytes] = {}

    @property
    def session(self) -> Callable[..., Session]:  # type: ignore[override]
        """One that breaks its word."""
        role = self

        class Breaking(Session):
            def _answer(self, question: Question, ballot: Ballot) -> bool:
                before = len(ballot.all())
                said = super()._answer(question, ballot)
                if said and role.chance.random() < role.share:
                    last = ballot.all()[before]
                    held = self._held(question)
                    other = held[0] if last.value == GONE and held else GONE
                    if last.value == GONE and not held:
                        other = role.chance.randbytes(32)
                    number = last.round
                    if last.kind == "stand" and role.chance.random() < 0.5:
                        number = min(number + 1, MAX_ROUND)
                        twin = self._twin(question, "vote", number, other)
                    else:
                        twin = self._twin(question, last.kind, number, other)
                    role.twins[last.data] = twin.data
                return said

            def _twin(self, question: Question, kind: str, number: int, value: bytes) -> Vote:
                about = self.agreement, self._key, self.seat, question
                return seal_vote(*about, kind, number, value, 0)  # type: ignore[arg-type]

        return Breaking

    def posts(self, keys: tuple[bytes, ...], message: Message) -> Iterable[Post]:
        """Each member gets the one or the other, and some both."""
        twin = self.twins.get(message.vote) if isinstance(message, VoteMessage) else None
        if not isinstance(message, VoteMessage) or twin is None:
            yield keys, message
            return
        some = tuple(key for key in keys if self.chance.random() < 0.5)
        both = tuple(key for key in some if self.chance.random() < 0.2)
        yield tuple(key for key in keys if key not in some), message
        yield some, VoteMessage(message.table, twin, message.entry)
        yield both, message


class _Choosy(Role):
    """Does not give to all what it has signed; in answers to HAVE neither."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.machine: Machine | None = None

    async def work(self, machine: Machine) -> None:
        """Knows itself."""
        self.machine = machine

    def keeps(self, data: bytes, key: bytes) -> bool:
        """Whether an entry or a vote is kept from this key."""
        raise NotImplementedError

    def posts(self, keys: tuple[bytes, ...], message: Message) -> Iterable[Post]:
        """What each key may have."""
        for key in keys:
            match message:
                case EnvelopeMessage(_, data) if self.keeps(data, key):
                    continue
                case VoteMessage(table, vote, entry):
                    if self.keeps(vote, key):
                        continue
                    kept = b"" if entry and self.keeps(entry, key) else entry
                    yield (key,), VoteMessage(table, vote, kept)
                case Entries(table, envelopes, left, votes):
                    some = tuple(data for data in envelopes if not self.keeps(data, key))
                    few = tuple(
                        (vote, b"" if entry and self.keeps(entry, key) else entry)
                        for vote, entry in votes
                        if not self.keeps(vote, key)
                    )
                    yield (key,), Entries(table, some, left, few)
                case _:
                    yield (key,), message

    def word(self, data: bytes) -> Vote | None:
        """A vote of its own, if it is one."""
        session = None if self.machine is None else self.machine.session
        if session is None:
            return None
        try:
            word = open_word(data, session.agreement)
        except PeerFault:
            return None
        return word if isinstance(word, Vote) and word.seat == session.seat else None


class Withholder(_Choosy):
    """Gives some of its entries to one alone, or to nobody."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.share = self.chance.choice((0.3, 0.1, 0.03))
        self.chosen: dict[bytes, bytes | None] = {}

    def keeps(self, data: bytes, key: bytes) -> bool:
        """Each entry has its own mind."""
        if data not in self.chosen:
            self.chosen[data] = self._choose(data, key)
        chosen = self.chosen[data]
        return chosen is not None and chosen != key

    def _choose(self, data: bytes, key: bytes) -> bytes | None:
        session = None if self.machine is None else self.machine.session
        if session is None or self.chance.random() > self.share:
            return None
        try:
            own = open_envelope(data, session.agreement).seat == session.seat
        except PeerFault:
            return None
        return self.chance.choice((key, b"nobody")) if own else None


class Standless(_Choosy):
    """Votes, and does not stand by it."""

    def keeps(self, data: bytes, key: bytes) -> bool:
        """Its stands, all."""
        word = self.word(data)
        return word is not None and word.kind == "stand"


class MuteLeader(_Choosy):
    """Says nothing in the rounds that it leads."""

    def keeps(self, data: bytes, key: bytes) -> bool:
        """Its votes as a leader."""
        word = self.word(data)
        if word is None or word.kind != "vote" or word.round < 2:
            return False
        assert self.machine is not None
        assert self.machine.session is not None
        session = self.machine.session
        ballot = session._polls.ballot(word.question, session.history)
        return ballot is not None and ballot.leader(word.round) == word.seat


class VoteFlooder(Role):
    """Votes about everything: steps to come, heads that it made up, rounds that nobody has come to.

    None of it contradicts itself.
    """

    AMOUNT = 250

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._values: dict[tuple[Question, str, int], bytes] = {}

    @property
    def session(self) -> Callable[..., Session]:  # type: ignore[override]
        """One that leaves the questions about itself to the flood."""

        class Flooding(Session):
            def _answer(self, question: Question, ballot: Ballot) -> bool:
                return question.about != self.seat and super()._answer(question, ballot)

        return Flooding

    async def work(self, machine: Machine) -> None:
        """Some floods, at any time of the game."""
        while True:
            session = await _session_of(machine)
            await trio.sleep(self.chance.choice((0.3, 3, 30)))
            for _ in range(self.AMOUNT):
                if machine.session is not session or session.over:
                    break
                data = self._word(session)
                targets = _others(machine) if self.chance.random() < 0.5 else _others(machine)[:1]
                for target in targets:
                    _post(machine, target, VoteMessage(session.agreement.table_id, data))
                if self.chance.random() < 0.1:
                    await trio.sleep(0.01)
            await trio.sleep(20)

    def _word(self, session: Session) -> bytes:
        about = session.agreement, session._key, session.seat
        hand = session.history.table.hand_number + self.chance.choice((0, 1, 2, 99))
        if self.chance.random() < 0.1:
            return seal_back(*about, hand, self.chance.choice(("in", "out"))).data
        if self.chance.random() < 0.02:
            return seal_leaving(*about, hand).data
        number = self.chance.choice([*session.history.lanes, 1, 2, 3, 70_000])
        lane = session.history.lanes.get(number)
        step = 1 if lane is None else max(1, lane.step + self.chance.choice((-2, 0, 0, 1, 5, 999)))
        right = lane is not None and self.chance.random() < 0.5
        head = lane.head if lane is not None and right else self.chance.randbytes(32)
        seats = range(len(session.agreement.keys))
        seat = self.chance.choice(seats)
        # About itself, and by values that do not exist: so its own program is not in the way.
        question = Question(number, step, head, session.seat if right else seat)
        value = GONE if not right and self.chance.random() < 0.5 else self.chance.randbytes(32)
        kind = "vote" if right else self.chance.choice(("vote", "stand"))
        key = question, kind, self.chance.choice((1, 2, 3, 4, 30, 64))
        if key not in self._values:
            self._values[key] = value
        return seal_vote(*about, question, kind, key[2], self._values[key], 0).data  # type: ignore[arg-type]


# Those who misuse links.


class Replayer(Role):
    """Says again, to anybody, what was said before: entries of this table and of another one."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.heard: list[EnvelopeMessage] = []
        self.foreign = self.chance.random() < 0.4

    def posts(self, keys: tuple[bytes, ...], message: Message) -> Iterable[Post]:
        """The message, and at times an old one."""
        yield keys, message
        if not isinstance(message, EnvelopeMessage):
            return
        self.heard.append(message)
        if self.chance.random() < 0.3:
            old = self.chance.choice(self.heard)
            if self.chance.random() < 0.5:
                yield keys, Entries(old.table, (old.envelope, old.envelope), 0)
            else:
                yield keys, old

    async def work(self, machine: Machine) -> None:
        """An entry that an honest seat has signed at another table of the same people."""
        if not self.foreign:
            return
        await trio.sleep(self.chance.uniform(0.1, 3))
        session = await _session_of(machine)
        nonces = tuple(bytes([number]) * 32 for number in range(len(session.agreement.keys)))
        other = Agreement(session.agreement.roster, nonces)
        seat = self.chance.randrange(len(other.keys))
        victim = machine.world.of_key(other.keys[seat])
        assert victim is not None
        lane = session.history.lanes[TABLE_LANE]
        key = victim.identity.signing_key
        data = seal(other, key, 0, lane.step, seat, lane.head, lane.kind, ()).data
        target = self.chance.choice(_others(machine))
        # Under the name of this table: under its own it is another table's, and not listened to.
        _post(machine, target, EnvelopeMessage(session.agreement.table_id, data))


class Garbler(Role):
    """Breaks the form of frames and messages, a few times, on a link of its own choosing."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.left = self.chance.randint(1, 3)
        self.gap = self.chance.randint(5, 60)

    def says(self, data: bytes) -> list[bytes]:
        """Sometimes not the bytes that should go out."""
        self.gap -= 1
        if self.gap > 0 or self.left <= 0:
            return [data]
        self.left -= 1
        self.gap = self.chance.randint(20, 120)
        cut = self.chance.randrange(1, len(data)) if len(data) > 1 else 1
        junk = self.chance.randbytes(self.chance.randint(1, 200))
        big = (2**31 + self.chance.randrange(100)).to_bytes(4, "big")
        deep = b"\x91" * 400 + b"\xc0"
        choices = (
            [data[:cut], junk],
            [data[:cut] + junk + data[cut:]],
            [junk],
            [big + junk],
            [len(junk).to_bytes(4, "big") + junk],
            [len(deep).to_bytes(4, "big") + deep],
            [bytes(4) + data],
            [b"".join(_frame(self._message())), data],
        )
        return self.chance.choice(choices)

    def _message(self) -> Value:
        junk, table = self.chance.randbytes(40), bytes(32)
        values: tuple[Value, ...] = (
            ("nonsense", 1),
            ("envelope", table, junk),
            ("envelope", junk, junk, junk),
            ("have", table, ((0, 0, (9,)),)),
            ("ping", "one", table, ()),
            ("lobby", junk, bytes(32), bytes(64)),
            ("members", table, ((bytes(32), (("localhost", 0),)),)),
            (("ping",),),
            7,
        )
        return self.chance.choice(values)


class Flooder(Role):
    """Sends as much as it can: early entries, questions, chat, hints, all well-formed."""

    AMOUNT = 150

    async def work(self, machine: Machine) -> None:
        """One flood, at some time of the game."""
        session = await _session_of(machine)
        await trio.sleep(self.chance.uniform(0.05, 2))
        table, key = session.agreement.table_id, machine.identity.signing_key
        makers: Sequence[Callable[[], Message]] = (
            lambda: EnvelopeMessage(table, self._early(session, machine)),
            lambda: EnvelopeMessage(table, self._early(session, machine)),
            lambda: Have(table, (LanePosition(0, 1, ()), LanePosition(1, 1, ()))),
            lambda: Ping(self.chance.randrange(99), table, ((0, 999), (1, 999))),
            lambda: Chat(b"\0", machine.key, bytes(64)),
            lambda: Members(table, ((machine.key, (Address("10.9.9.9", 9),)),)),
            lambda: Onlookers(table, ((bytes(31) + b"!", "nobody"),)),
            lambda: Unwatch("closed", "nobody looks on"),
            lambda: Agreed(b"\0"),
            lambda: Statement(b"\0", machine.key, bytes(64)),
        )
        # What closes a link at once comes in some floods only.
        kept = makers[: self.chance.choice((4, 8, len(makers)))]
        assert key is not None
        for _ in range(self.AMOUNT):
            _post(machine, self.chance.choice(_others(machine)), self.chance.choice(kept)())
            if self.chance.random() < 0.1:
                await trio.sleep(0.01)

    def _early(self, session: Session, machine: Machine) -> bytes:
        """A well signed entry of its own, far ahead, on a head that it made up."""
        lane = session.history.lanes[TABLE_LANE]
        step = lane.step + self.chance.choice((1, 2, 30, 63, 64, 65, 1000, 900_000))
        number = self.chance.choice((0, 0, 1, 2, 3, 4, 999_999))
        head = self.chance.randbytes(32)
        kind = self.chance.choice(("move", "shares", "commit", "sit"))
        filler = (bytes(self.chance.choice((1, 10_000))),)
        key, seat = machine.identity.signing_key, session.seat
        return seal(session.agreement, key, number, step, seat, head, kind, filler).data


class Deaf(Role):
    """Reads nothing for long times, so that all that is for it piles up."""

    async def work(self, machine: Machine) -> None:
        """Now and then its ears are shut."""
        while True:
            await trio.sleep(self.chance.uniform(0.2, 10))
            machine.slow = self.chance.choice((0.3, 2.0, 9.0))
            await trio.sleep(self.chance.uniform(0.5, 15))
            machine.slow = 0.0


class SlowLoris:
    """A stranger that knocks at every door and says its first words a byte at a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._chance = random.Random(f"{world.plan.seed} loris")

    async def run(self) -> None:
        """Until cancelled."""
        async with trio.open_nursery() as nursery:
            for machine in self._world.machines:
                for _ in range(3):
                    nursery.start_soon(self._haunt, machine)

    async def _haunt(self, machine: Machine) -> None:
        transport = SimTransport(self._world.network, self._world.stranger_host)
        eve = identity_of(STRANGER)
        for _ in range(3):
            await trio.sleep(self._chance.uniform(0.1, 4))
            with suppress(LinkDown, PeerFault, trio.BrokenResourceError, trio.ClosedResourceError):
                if self._chance.random() < 0.3:
                    entropy = hash_stream(f"{self._world.plan.seed} eve")
                    endpoint = Endpoint(eve, transport, entropy=entropy)
                    async with await endpoint.dial([Address(machine.host, PORT)]) as link:
                        await link.send(codec.to_wire(EnvelopeMessage(bytes(32), b"junk")))
                        await trio.sleep(self._chance.uniform(0.1, 8))
                    continue
                connection = await transport.dial(Address(machine.host, PORT))
                async with connection.stream as stream:
                    for byte in b"\0\0\0\x40hello":
                        await stream.send_all(bytes([byte]))
                        await trio.sleep(self._chance.uniform(0.1, 1.5))


ROLES: dict[str, type[Role]] = {
    "forger": Forger,
    "equivocator": Equivocator,
    "silent": Silent,
    "stray": Stray,
    "replayer": Replayer,
    "garbler": Garbler,
    "flooder": Flooder,
    "deaf": Deaf,
    "shunner": Shunner,
    "perjurer": Perjurer,
    "withholder": Withholder,
    "standless": Standless,
    "mute leader": MuteLeader,
    "vote flooder": VoteFlooder,
}


async def _session_of(machine: Machine) -> Session:
    """The session of a machine, once the game has begun there."""
    while machine.session is None or not machine.world.playing:  # noqa: ASYNC110
        await trio.sleep(0.05)
    return machine.session


def _others(machine: Machine) -> list[Machine]:
    plan = machine.world.plan
    return [m for m in machine.world.machines if m is not machine and m.name in plan.names]


def _post(machine: Machine, target: Machine, message: Message) -> None:
    assert machine.peer is not None
    machine.peer._owner._mesh.post((target.key,), message)


def _frame(value: Value) -> tuple[bytes, bytes]:
    data = pack(value)
    return len(data).to_bytes(4, "big"), data
