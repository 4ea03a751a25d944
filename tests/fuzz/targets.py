"""Every decoder that eats bytes from outside, in one table.

Invariant: a value or the documented fault, in bounded time and memory, and nothing else; and where
the format is canonical, the value encoded again is the same bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

import trio
import trio.testing
import zeroconf

from engine import IllegalMove, game
from p2p import chat, codec, database, discovery, handshake, identity, invites, statements
from p2p.frames import FRAME_LIMIT, HEADER_BYTES, FrameStream, LinkDown
from p2p.messages import MAX_CHAT, MAX_STATEMENT, Chat, Statement
from p2p.transport import Address, read_address
from p2p.trouble import Trouble
from protocol.agreement import read_agreement, read_roster
from protocol.effects import Persist, PersistSecret, PersistVote
from protocol.envelope import open_envelope, seal
from protocol.errors import LocalError, PeerFault
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.record import read_objects, write_record
from protocol.signing import SIGNATURE_BYTES, sign
from protocol.verifier import verify
from protocol.watch import Watcher
from protocol.wire import MAX_BYTES, Value, pack, unpack
from tests.fuzz import ground
from tests.page.rooms import FakeBots, FakePeer
from ui.moves import MOST_LINE, read_line, read_move, read_sit
from ui.page.keep import FILE_NAME as PAGE_FILE
from ui.page.keep import Kept
from ui.page.room import Room
from ui.page.site import MOST_MESSAGE
from ui.page.state import State

_T = TypeVar("_T")


class Broken(Exception):
    """The invariant does not hold: other bytes come back, or an answer that must not be given."""


@dataclass(frozen=True, slots=True)
class Target:
    """One decoder. ``read`` raises nothing but ``faults`` for any bytes at all.

    ``most``: bytes of the longest input that is read to its end. ``seeds``: valid examples, made
    when they are asked for. ``slow``: few examples only.
    """

    name: str
    read: Callable[[bytes], None]
    faults: tuple[type[Exception], ...]
    seeds: Callable[[], Sequence[bytes]]
    most: int
    slow: bool = False
    form: str = field(default="msgpack")
    """What odd values are made in: ``msgpack`` or ``json``."""

    def __call__(self, data: bytes) -> bool:
        """Whether there is a value; raises whatever breaks the invariant."""
        try:
            self.read(data)
        except self.faults:
            return False
        return True


def _same(again: bytes, data: bytes) -> None:
    if again != data:
        raise Broken(f"read from {data[:200]!r}, written as {again[:200]!r}")


# Frames and values.


class _Wire(trio.abc.Stream):
    """A stream that has all its bytes already, gives them in pieces, and swallows what is sent."""

    def __init__(self, data: bytes, piece: int = 1000) -> None:
        self._left = memoryview(data)
        self._piece = piece

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        count = min(self._piece, max_bytes or self._piece)
        found, self._left = self._left[:count], self._left[count:]
        return bytes(found)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Nobody listens."""

    async def wait_send_all_might_not_block(self) -> None:
        """It never does."""

    async def aclose(self) -> None:
        """There is nothing to close."""


def _finish(work: Coroutine[object, object, _T]) -> _T:
    """The result of something that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    raise Broken("it waits for something")


def _wire(data: bytes) -> None:
    _same(pack(unpack(data, FRAME_LIMIT)), data)


def _frames(data: bytes) -> None:
    frames, found = FrameStream(_Wire(data)), b""
    try:
        while True:
            payload = pack(_finish(frames.receive()))
            found += len(payload).to_bytes(HEADER_BYTES, "big") + payload
    except (PeerFault, LinkDown):
        _same(found, data[: len(found)])
        raise


def _frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


# HELLO and AUTH.

_HASH = bytes(range(32))
_NONCE = bytes(32)


def _hello(data: bytes) -> None:
    _same(handshake.read_hello(data).packed(), data)


def _shake(data: bytes, dialled: bool) -> None:
    async def shake() -> handshake.Hello:
        return await handshake.shake_hands(
            FrameStream(_Wire(data)),
            ground.ME,
            dialled=dialled,
            certificate_hash=_HASH,
            entropy=lambda count: _NONCE[:count],
        )

    hello = trio.run(shake)
    if hello.key != ground.YOU.key:
        raise Broken("somebody has proved a key that nobody here has")


def _shakes() -> list[bytes]:
    """What the other side says, as dialler and as listener."""
    found = []
    ours = handshake.Hello(ground.ME.key, _NONCE).packed()
    theirs = handshake.Hello(ground.YOU.key, _NONCE).packed()
    for role, hellos in (("dialler", (theirs, ours)), ("listener", (ours, theirs))):
        proof = sign(ground.YOU.signing_key, "auth", pack((role, _HASH, *hellos)))
        found.append(_frame(theirs) + _frame(pack(proof)))
    return found


# Messages, statements, chat.


def _message(data: bytes) -> None:
    _same(pack(codec.to_wire(codec.from_wire(unpack(data, FRAME_LIMIT)))), data)


def _messages() -> list[bytes]:
    """One of every kind."""
    key, table, lobby = ground.YOU.key, b"t" * 32, b"l" * 16
    info = (lobby, key, "kitchen", "azi", (("ante", 10), ("blind", "on")), 4, 2, b"")
    homes = (("192.168.1.20", 7421), ("fe80::1%eth0", 1))
    found: list[Value] = [
        ("tables", (info, (*info[:-1], b"t" * 32))),
        ("lobby", b"b", key, b"s" * 64),
        ("knock", b"abcde"),
        ("admit", (info,)),
        ("chat", b"b", key, b"s" * 64),
        ("agreed", b"a"),
        ("envelope", table, b"e"),
        ("have", table, ((0, 7, (1, 2)), (1, 4, ()))),
        ("vote", table, b"v", b"e"),
        ("entries", table, (b"e", b"f"), 1, ((b"v", b""), (b"w", b"e"))),
        ("ping", 7, table, ((0, 7), (1, 4))),
        ("ping", 0, b"", ()),
        ("pong", 7),
        ("members", table, ((key, homes),)),
        ("watch", lobby, "zoé"),
        ("unwatch", "crowded", "16 look on"),
        ("onlookers", table, ((key, "zoé"),)),
        ("bye", "closed", "good night"),
    ]
    return [pack(value) for value in found]


def _statement(data: bytes) -> None:
    """A body that its author has really signed, so that all behind the signature is reached."""
    me = ground.YOU
    signature = sign(me.signing_key, "lobby", data)
    heard = statements.read(Statement(data, me.key, signature))
    again = statements.make(me.signing_key, heard.lobby, heard.count, heard.said)
    _same(again.statement.body, data)


def _statements() -> list[bytes]:
    key, other = ground.YOU.key, ground.ME.key
    home = (Address("192.168.1.20", 7421),)
    member = statements.Member(other, "bo", key, home)
    options = (("ante", 10), ("blind", "on"))
    said: list[statements.Said] = [
        statements.Join("azi", "ana", b"", home, b"abcde"),
        statements.Join("azi", "ana", other, ()),
        statements.Listing(3, "kitchen", "azi", options, 3, (member, member)),
        statements.Listing(3, "kitchen", "azi", options, 3, (member,), ground.origin()),
        statements.Refuse(other, "full", "all seats are taken"),
        statements.Commit(3, b"c" * 32),
        statements.Reveal(3, b"n" * 32),
        statements.Sign(3, b"s" * 64),
        statements.Here(True),
        statements.Leave(),
    ]
    made = [statements.make(ground.YOU.signing_key, b"l" * 16, 9, one) for one in said]
    return [one.statement.body for one in made]


def _chat(data: bytes) -> None:
    me = ground.YOU
    line = chat.read(Chat(data, me.key, bytes(SIGNATURE_BYTES)))
    _same(chat.make(me.signing_key, line).body, data)


# Discovery, codes, addresses.

_TYPE = discovery.SERVICE_TYPE
_ADS = (
    discovery.TableAd("kitchen", "azi", 1, 4),
    discovery.TableAd("a|b", "hazari", 4, 4),
)


def _txt(data: bytes) -> None:
    """The bytes of a TXT record, split as zeroconf does it."""
    properties = zeroconf.ServiceInfo(_TYPE, f"x.{_TYPE}", 7421, properties=data).properties
    seen = discovery.read_sighting("x", properties, ["10.0.0.7"], 7421, on_loopback=False)
    if seen.version == 1:
        again = discovery.write_txt(seen.name, seen.key, seen.short, seen.tables)
        del again["txtvers"]  # nobody reads it
        for name, value in again.items():
            _same(value.encode(), properties.get(name.encode()) or b"")


def _txts() -> list[bytes]:
    key = ground.YOU.key
    found = []
    for tables in ((), _ADS):
        record = discovery.write_txt("zoé", key, "QHS7KE8R", tables)
        parts = [f"{name}={value}".encode() for name, value in record.items()]
        found.append(b"".join(bytes([len(part)]) + part for part in parts))
    return found


def _hosts(data: bytes) -> None:
    """Addresses of an instance, one a line; the first line is the port."""
    port, *hosts = data.decode(errors="replace").split("\n")
    txt = {k.encode(): v.encode() for k, v in _record().items()}
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 8 else None
    for on_loopback in (False, True):
        seen = discovery.read_sighting("x", txt, hosts, number, on_loopback=on_loopback)
        if not 0 < len(seen.addresses) <= discovery.MAX_ADDRESSES:
            raise Broken("too many addresses")


@cache
def _record() -> dict[str, str]:
    return discovery.write_txt("zoé", ground.YOU.key, "QHS7KE8R", _ADS)


def _label(data: bytes) -> None:
    """The name of the own instance, made of any name that people may take."""
    label = discovery.instance_label(data.decode(errors="replace"), "QHS7KE8R").encode()
    if len(label) > 63:
        raise Broken("no label of the DNS")


def _invite(data: bytes) -> None:
    invite = invites.decode(data.decode(errors="replace"))
    if invites.decode(invites.encode(invite)) != invite:
        raise Broken("another code")


def _invites() -> list[bytes]:
    found = []
    for host in ("192.168.1.20", "2001:db8::7"):
        for token in (b"", b"abcde"):
            invite = invites.Invite(Address(host, 7421), b"\1\2\3\4\5", token)
            found.append(invites.encode(invite).encode())
    return found


def _address(data: bytes) -> None:
    address = read_address(data.decode(errors="replace"))
    if not 0 < address.port < 65536 or len(address.host) > 253:
        raise Broken("no address")


# Agreement, entries, records.


def _roster(data: bytes) -> None:
    _same(read_roster(unpack(data)).body, data)


def _agreement(data: bytes) -> None:
    agreement = read_agreement(data)
    _same(agreement.body, unpack(data)[0])  # type: ignore[index,arg-type]


def _entry(data: bytes) -> None:
    """A body that its seat has really signed."""
    agreement, _ = ground.agreement()
    key = _seat_key(0)
    sealed = pack((data, sign(key, "envelope", data))) if len(data) <= MAX_BYTES else data
    read = open_envelope(sealed, agreement)
    where = (read.lane, read.step, read.seat, read.head)
    _same(seal(agreement, key, *where, read.kind, read.payload).data, sealed)


@cache
def _seat_key(seat: int) -> object:
    agreement, _ = ground.agreement()
    return next(k for k in ground.KEYS if k.public_key().public_bytes_raw() == agreement.keys[seat])


def _envelope(data: bytes) -> None:
    open_envelope(data, ground.agreement()[0])
    # Whatever it is, who follows the table raises nothing, for any bytes.


def _follower(data: bytes) -> None:
    """Some entries of a liar, each with its length in front, at a table that has just begun."""
    agreement, _ = ground.agreement()
    watcher = Watcher(agreement)
    watcher.begin(0.0)
    rest = memoryview(data)
    while len(rest) > 2:
        length = int.from_bytes(rest[:2], "big")
        body, rest = bytes(rest[2 : 2 + length]), rest[2 + length :]
        sealed = pack((body, sign(_seat_key(0), "envelope", body)))
        watcher.receive(sealed, 0.0)


def _entries() -> list[bytes]:
    agreement, _ = ground.agreement()
    lane = Watcher(agreement).history.lanes
    head = lane[1].head
    honest = (1, agreement.table_id, 1, 1, 0, head, "commit", (b"c" * 32,))
    early = (1, agreement.table_id, 1, 2, 0, b"h" * 32, "open", (b"c" * 32, (), "x"))
    return [pack(honest), pack(early)]


def _bodies() -> list[bytes]:
    parts = _entries()
    return [b"".join(len(part).to_bytes(2, "big") + part for part in parts)]


def _payload(kind: str) -> Target:
    """What an entry of this kind holds, judged by every state that really met one."""

    def read(data: bytes) -> None:
        payload = unpack(data)
        if not isinstance(payload, tuple):
            raise PeerFault("encoding", "as open_envelope says")
        for stage in ground.played().stages[kind][:4]:
            try:
                _, pending = stage.rules.read(stage.seat, payload)
                for make in pending:
                    make()
            except PeerFault:
                continue

    def seeds() -> list[bytes]:
        return [pack(stage.payload) for stage in ground.played().stages[kind][:8]]

    return Target(f"payload {kind}", read, (PeerFault,), seeds, MAX_BYTES)


def _record_file(data: bytes) -> None:
    verify(data)
    try:
        objects = list(read_objects(data))
    except PeerFault:
        return
    if objects:
        _same(write_record(objects[0], objects[1:]), data)


def _records() -> list[bytes]:
    """A record of a few entries: whole proofs of shuffles take too long here."""
    objects = list(read_objects(ground.played().record))
    return [write_record(objects[0], objects[1:count]) for count in (1, 4, 8)]


# The own disk.


@cache
def _folder() -> Path:
    """A folder of this process, in memory where the system has such."""
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    made = tempfile.TemporaryDirectory(prefix="facedown-fuzz-", dir=shared)
    _KEPT.append(made)
    return Path(made.name)


_KEPT: list[object] = []


def _put(name: str, data: bytes) -> Path:
    path = _folder() / name
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    return path


def _identity(data: bytes) -> None:
    _put(identity.FILE_NAME, data)
    found = identity.load_or_make(_folder())
    if found.key != found.signing_key.public_key().public_bytes_raw():
        raise Broken("another key")


def _identities() -> list[bytes]:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = ground.YOU.signing_key
    return [
        key.private_bytes(Encoding.PEM, form, NoEncryption())
        for form in (PrivateFormat.PKCS8, PrivateFormat.OpenSSH)
    ]


def _page_file(data: bytes) -> None:
    _put(PAGE_FILE, data)
    kept = Kept(_folder())
    kept.number("port")
    kept.text("name")
    kept.texts("muted")
    kept.mapping("bots")
    if len(kept.secret(32)) != 32:
        raise Broken("a secret of another length")


def _database(data: bytes) -> None:
    path = _put(database.FILE_NAME, data)
    for more in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{more}")
    opened = database.Database(path)
    try:
        for stored in opened.tables():
            opened.secrets(stored.table)
            for lane, last in opened.lanes(stored.table):
                opened.entries(stored.table, lane, 1, last)
                opened.votes(stored.table, lane, 1, last)
            mark = database.BEGINNING
            while rows := opened.written(stored.table, mark):
                mark = rows[-1].mark
        opened.pinned()
    finally:
        opened.close()


def _databases() -> list[bytes]:
    path = _folder() / "seed.db"
    if not path.exists():
        opened = database.Database(path)
        opened.open_table(b"t" * 32, b"sealed", 0, 1)
        opened.carry_out(
            b"t" * 32,
            [
                Persist(0, 1, 0, b"envelope"),
                PersistVote(0, 1, 1, b"vote"),
                PersistSecret("pack/1", b"s" * 32),
            ],
        )
        opened.pin(database.Pinned(ground.YOU.key, "zoé", (Address("10.0.0.7", 7421),)))
        opened.close()
    return [path.read_bytes()]


def _secret(data: bytes) -> None:
    """A stored seed of a pack: of other bytes follow other secrets, and nothing else happens."""
    stage = ground.played().stages["commit"][0]
    assert isinstance(stage.rules, PackState)
    made = PackSecrets(stage.rules.plan, stage.seat, data)
    if sorted(made.permutation) != list(range(len(stage.rules.plan.cards))):
        raise Broken("no permutation")
    if not made.x > 0:
        raise Broken("no scalar")


# Other programs and the page.


def _line(data: bytes) -> None:
    key, said = read_line(data)
    if key == "sit":
        read_sit(said)
        return
    move = read_move(said)
    if read_move(json.loads(json.dumps(move))) != move:
        raise Broken("another move")
    for view in (*ground.played().views[:6], ground.hazari_view()):
        game(view.game).objection(view, move)


def _lines() -> list[bytes]:
    views = (*ground.played().views[:6], ground.hazari_view())
    found = [json.dumps({"move": game(view.game).late(view)}).encode() for view in views]
    up = {"move": ["up", [0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11, 12]]}
    more = [up, {"move": ["play", 3]}, {"move": ["bid", 20]}, {"sit": "out"}]
    return [*found, *(json.dumps(one).encode() for one in more)]


def _command(data: bytes) -> None:
    """A page's command, as the room carries it out; the answer is one object that JSON can say."""
    text = data.decode(errors="replace")

    async def obey() -> str:
        room = _room()
        with contextlib.suppress(LocalError):
            return await room.obey(text)
        return "{}"

    answer = json.loads(trio.run(obey, clock=trio.testing.MockClock(autojump_threshold=0)))
    if not isinstance(answer, dict):
        raise Broken("no answer")


def _room() -> Room:
    room = Room(Kept(_folder() / "page"), FakeBots())  # type: ignore[arg-type]
    peer = _Peer()
    room._peer, room._state = peer, State("anna", peer.key, "ANNAAAAA")  # type: ignore[assignment]
    room._showing = trio.CancelScope()
    room.state.put("view", ground.hazari_view())
    return room


class _Peer(FakePeer):
    """Takes everything."""

    async def watch(self, *what: object, **how: object) -> None:
        """See ``Peer.watch``."""

    async def unwatch(self) -> None:
        """See ``Peer.unwatch``."""

    async def tables(self) -> list[object]:
        """See ``Peer.tables``."""
        return []


COMMANDS: tuple[dict[str, object], ...] = (
    {"do": "open", "table": "k", "game": "azi", "options": {"ante": 5}, "seats": 3, "invite": True},
    {"do": "join", "table": "kitchen"},
    {"do": "join", "typed": "127.0.0.1:1"},
    {"do": "join", "typed": "AAAA-BBBB"},
    {"do": "watch", "address": "127.0.0.1:1"},
    {"do": "go_on", "key": "ab" * 32},
    {"do": "ready", "ready": True},
    {"do": "rename", "name": "berta"},
    {"do": "move", "move": ["bid", 20], "ask": 1},
    {"do": "weigh", "groups": [[1], [2], [3], [4]]},
    {"do": "weigh", "cards": [["AS", "KS", "QS"], ["2C", "2D"]]},
    {"do": "suggest"},
    {"do": "sit", "choice": "out"},
    {"do": "say", "text": "hello"},
    {"do": "mute", "short": "ABCDEFGH", "on": True},
    {"do": "verify", "table": "ab" * 32},
    {"do": "replay", "table": "ab" * 32, "hand": 1},
    {"do": "tables"},
    {"do": "leave"},
    {"do": "lobby"},
    {"do": "next"},
    {"do": "bot"},
)


def _commands() -> list[bytes]:
    return [json.dumps({"id": 1, **command}).encode() for command in COMMANDS]


_LINK = (PeerFault,)
_KINDS = ("commit", "open", "mix", "prove", "ready", "shares", "move", "lock", "result", "sit")

TARGETS: tuple[Target, ...] = (
    Target("wire", _wire, _LINK, lambda: [*_messages(), *_entries()], FRAME_LIMIT),
    Target(
        "frames",
        _frames,
        (PeerFault, LinkDown),
        lambda: [_frame(one) for one in _messages()],
        FRAME_LIMIT + HEADER_BYTES,
    ),
    Target("hello", _hello, _LINK, lambda: [_shakes()[0][4:-70]], handshake.HELLO_LIMIT),
    Target("listener", lambda data: _shake(data, False), (PeerFault, LinkDown), _shakes, 1024),
    Target("dialler", lambda data: _shake(data, True), (PeerFault, LinkDown), _shakes, 1024),
    Target("message", _message, _LINK, _messages, FRAME_LIMIT),
    Target("statement", _statement, _LINK, _statements, MAX_STATEMENT),
    Target(
        "chat",
        _chat,
        _LINK,
        lambda: [pack((1, b"l" * 16, 7, "hi")), pack((1, b"t" * 32, 8, "zoé " * 100))],
        MAX_CHAT,
    ),
    Target("txt", _txt, _LINK, _txts, 9000),
    Target("hosts", _hosts, _LINK, lambda: [b"7421\n10.0.0.7\nfe80::1%eth0\n::1\n127.0.0.1"], 9000),
    Target("label", _label, (), lambda: ["zoé. s tisch".encode()], 200),
    Target("invite", _invite, (LocalError,), _invites, 200),
    Target(
        "address", _address, (LocalError,), lambda: [b"192.168.1.20:7421", b"[fe80::1%e]:1"], 600
    ),
    Target(
        "roster",
        _roster,
        _LINK,
        lambda: [pack(one.roster.value()) for one, _ in (ground.agreement(), ground.going_on())],
        MAX_BYTES,
    ),
    Target(
        "agreement",
        _agreement,
        _LINK,
        lambda: [ground.agreement()[1], ground.going_on()[1]],
        MAX_BYTES,
    ),
    Target("envelope", _envelope, _LINK, lambda: [_sealed(one) for one in _entries()], MAX_BYTES),
    Target("entry", _entry, _LINK, _entries, MAX_BYTES),
    Target("follower", _follower, (), _bodies, 4096),
    *(_payload(kind) for kind in _KINDS),
    Target("record", _record_file, (), _records, 256 * 1024, slow=True),
    Target("identity", _identity, (LocalError,), _identities, 4096),
    Target("page.json", _page_file, (), lambda: [_page_seed()], 64 * 1024, form="json"),
    Target("database", _database, (Trouble,), _databases, 64 * 1024, slow=True),
    Target("secret", _secret, (), lambda: [b"s" * 32], 4096),
    Target("line", _line, (IllegalMove,), _lines, MOST_LINE, form="json"),
    Target("command", _command, (), _commands, MOST_MESSAGE, form="json"),
)


def _sealed(body: bytes) -> bytes:
    return pack((body, sign(_seat_key(0), "envelope", body)))


def _page_seed() -> bytes:
    kept = {"port": 7421, "name": "zoé", "muted": ["ABCDEFGH"], "bots": {}, "secret": "ab" * 32}
    return json.dumps(kept).encode()


BY_NAME = {target.name: target for target in TARGETS}
