"""A room full of lobbies: messages go between them in order, link by link, without a network."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p import codec, statements
from p2p.database import Promised
from p2p.joiner import Joiner
from p2p.lobby import Lobby
from p2p.messages import Agreed, Message, Statement, TableInfo
from p2p.opener import Opener
from p2p.outputs import Completed, Lied, Output, Post, Promise, Refused
from p2p.statements import Member
from p2p.terms import complete_options
from p2p.transport import Address
from protocol.going_on import StoppedTable
from protocol.signing import public_bytes

SEATS = 4


def hash_stream(seed: str) -> Callable[[int], bytes]:
    """Entropy that is the same in each run: SHA-256 of seed and counter."""
    count = 0

    def entropy(length: int) -> bytes:
        nonlocal count
        data = b""
        while len(data) < length:
            count += 1
            data += hashlib.sha256(f"{seed}/{count}".encode()).digest()
        return data[:length]

    return entropy


def signing_key(seed: str) -> Ed25519PrivateKey:
    """A key that is the same in each run."""
    return Ed25519PrivateKey.from_private_bytes(hash_stream(f"key {seed}")(32))


def terms(seats: int = SEATS) -> TableInfo:
    """A table of Hazari; lobby and opener are filled in by the one who opens it."""
    options = complete_options("hazari", {"hands": 1})
    return TableInfo(b"", b"", "kitchen", "hazari", options, seats, 1)


@dataclass
class Player:
    """A lobby with all that came out of it."""

    name: str
    key: Ed25519PrivateKey
    lobby: Lobby
    out: list[Output] = field(default_factory=list)

    @property
    def id(self) -> bytes:
        """The public key."""
        return public_bytes(self.key)

    def told(self, kind: type[Output]) -> list[Output]:
        """All outputs of one kind."""
        return [output for output in self.out if isinstance(output, kind)]

    @property
    def refusals(self) -> list[str]:
        """The codes of all refusals."""
        return [output.code for output in self.out if isinstance(output, Refused)]

    @property
    def agreements(self) -> list[bytes]:
        """The ids of all tables that were agreed."""
        return [o.agreement.table_id for o in self.out if isinstance(o, Completed)]

    @property
    def liars(self) -> list[tuple[bytes, str]]:
        """The keys and codes of all who lied."""
        return [(o.key, o.fault.code) for o in self.out if isinstance(o, Lied)]


@dataclass
class Room:
    """Players, their links, what is under way on each link, and what each has on its disk."""

    players: dict[str, Player] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)
    wires: dict[tuple[str, str], deque[Message]] = field(default_factory=dict)
    disks: dict[str, Promised] = field(default_factory=dict)
    now: float = 0.0
    drops: Callable[[str, str, Message], bool] = lambda source, target, message: False

    def opener(
        self,
        name: str,
        info: TableInfo | None = None,
        *,
        ready: bool = True,
        invite: bool = False,
        stopped: StoppedTable | None = None,
    ) -> Player:
        """Somebody who opens a table."""
        key = signing_key(name)
        me = Member(public_bytes(key), name, b"", (Address("127.0.0.1", 1000),))
        entropy = hash_stream(name)
        more = {"invite": invite, "ready": ready}
        lobby = Opener(info or terms(), me, key, entropy, self.now, **more, stopped=stopped)
        player = self.players[name] = Player(name, key, lobby)
        self._carry_out(player, lobby.begin())
        return player

    def joiner(
        self,
        name: str,
        contact: str,
        owner: bytes = b"",
        called: str = "",
        game: str = "",
        *,
        ready: bool = True,
        token: bytes = b"",
        stopped: StoppedTable | None = None,
    ) -> Player:
        """Somebody who is linked to ``contact`` and asks it for a seat."""
        key = signing_key(name)
        found = self.players[contact].lobby
        info = found.advertised[0] if found.advertised else found.info
        if game:
            info = replace(info, game=game, taken=1)
        me = Member(public_bytes(key), called or name, owner, (Address("127.0.0.1", 2000),))
        stamp = 100 + int(self.now * 1000)
        via = self.players[contact].id
        entropy = hash_stream(f"{name}{stamp}")
        promised = self.disks.get(name, Promised())
        more = (via, stamp, token, ready, promised, stopped)
        lobby = Joiner(info, me, key, entropy, self.now, *more)
        player = self.players[name] = Player(name, key, lobby)
        self.link(name, contact)
        return player

    def link(self, one: str, other: str) -> None:
        """A new link."""
        for a, b in ((one, other), (other, one)):
            self.links.add((a, b))
            self.wires[a, b] = deque()
        for a, b in ((one, other), (other, one)):
            self._carry_out(self.players[a], self.players[a].lobby.linked(self.id(b), self.now))

    def cut(self, one: str, other: str) -> None:
        """The link is gone, with what was under way on it."""
        for a, b in ((one, other), (other, one)):
            self.links.discard((a, b))
            self.wires.pop((a, b), None)
            self._carry_out(self.players[a], self.players[a].lobby.unlinked(self.id(b)))

    def vanish(self, name: str) -> None:
        """Somebody's computer is switched off."""
        for _, other in [pair for pair in self.links if pair[0] == name]:
            self.cut(name, other)
        del self.players[name]

    def id(self, name: str) -> bytes:
        """The public key of a player."""
        return public_bytes(signing_key(name))

    def settle(self) -> None:
        """Delivers messages, one link after the other, until nothing is under way."""
        while any(self.wires.values()):
            for source, target in sorted(self.wires):
                wire = self.wires.get((source, target))
                if wire:
                    self._deliver(source, target, wire.popleft())

    def wait(self, seconds: float) -> None:
        """Time passes, in steps of half a second."""
        for _ in range(int(seconds * 2)):
            self.now += 0.5
            for player in list(self.players.values()):
                self._carry_out(player, player.lobby.tick(self.now))
            self.settle()

    def ready(self, name: str, ready: bool) -> None:
        """Somebody would begin now, or not any more; all messages delivered."""
        player = self.players[name]
        self._carry_out(player, player.lobby.be_ready(ready))
        self.settle()

    def say(self, name: str, said: statements.Said, count: int, targets: list[str]) -> None:
        """Puts a statement in somebody's name on the links to some others."""
        lobby = self.players[name].lobby.info.lobby
        heard = statements.make(signing_key(name), lobby, count, said)
        for target in targets:
            self.wires[name, target].append(heard.statement)

    def _deliver(self, source: str, target: str, message: Message) -> None:
        if self.drops(source, target, message):
            return
        player = self.players[target]
        message = codec.from_wire(codec.to_wire(message))
        if isinstance(message, Statement):
            heard = statements.read(message)
            assert heard.lobby == player.lobby.info.lobby
            self._carry_out(player, player.lobby.received(self.id(source), heard, self.now))
        elif isinstance(message, Agreed):
            self._carry_out(player, player.lobby.agreed(message.sealed))

    def _carry_out(self, player: Player, outputs: list[Output]) -> None:
        names = {p.id: name for name, p in self.players.items()}
        for output in outputs:
            player.out.append(output)
            if isinstance(output, Promise):
                before = self.disks.get(player.name, Promised())
                signed = output.agreement
                tables = before.tables | (set() if signed is None else {signed.table_id})
                self.disks[player.name] = Promised(max(before.number, output.number), tables)
            if isinstance(output, Post):
                for key in output.keys:
                    assert (player.name, names[key]) in self.links, "a post without a link"
                    self.wires[player.name, names[key]].append(output.message)
