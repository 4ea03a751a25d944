"""What happens in one run of the simulation: everything is drawn from one seed, before it begins.

Faults are placed by *ticks*, pieces of bytes that have gone over the network since all have the
signed agreement on disk, or by the number of a write or a send of one machine: so they fall into
the game however fast it is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.sim.games import SMALL

NAMES = ("anna", "bert", "carl", "dora", "emil", "fran")
GUESTS = ("gina", "hugo")
STRANGER = "eve"

SEATS = {"little": (2, 3, 4), "topcard": (2, 3), "hazari": (4,), "azi": (2, 3, 4, 5, 6)}

LIARS = (
    "forger",
    "equivocator",
    "silent",
    "stray",
    "replayer",
    "garbler",
    "flooder",
    "deaf",
)
"""Roles of ``tests.sim.roles``; the slow loris is the stranger, who has no seat."""

VOTE_LIARS = (
    "silent",
    "shunner",
    "perjurer",
    "withholder",
    "standless",
    "mute leader",
    "vote flooder",
)
"""Those who have something to do with votes about silent seats."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong at tick ``at``, for ``seconds`` of virtual time.

    ``hosts``: whom it befalls. ``number`` and ``word`` say more, by kind.
    """

    at: int
    kind: str
    hosts: tuple[str, ...] = ()
    seconds: float = 0.0
    number: int = 0
    word: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """One run. ``late``: by name, seconds after which a machine is switched on.

    ``latency``: the seconds that most pieces take, and a factor by which some take longer.
    ``chunked``: who reads bytes in small pieces. ``lobby``: faults that begin before the game, by
    seconds in place of ticks. ``liars``: roles by name. ``leaves``: who says what between hands.
    """

    seed: int
    game: str
    options: tuple[tuple[str, int | str], ...]
    names: tuple[str, ...]
    latency: tuple[float, float] = (0.01, 1.0)
    late: dict[str, float] = field(default_factory=dict)
    chunked: frozenset[str] = frozenset()
    lobby: tuple[Fault, ...] = ()
    faults: tuple[Fault, ...] = ()
    liars: dict[str, str] = field(default_factory=dict)
    leaves: dict[str, str] = field(default_factory=dict)
    guests: tuple[str, ...] = ()
    stranger: bool = False

    @property
    def departs(self) -> frozenset[str]:
        """The seats that leave in the middle of a hand."""
        return frozenset(name for f in self.faults if f.kind == "depart" for name in f.hosts)

    @property
    def honest(self) -> tuple[str, ...]:
        """The seats that play by the rules."""
        return tuple(name for name in self.names if name not in self.liars)

    def lines(self) -> list[str]:
        """The plan for people."""
        return [
            f"seed {self.seed}: {self.game} {dict(self.options)} with {', '.join(self.names)}",
            f"latency {self.latency}, late {self.late}, chunked {sorted(self.chunked)}",
            f"liars {self.liars}, leaves {self.leaves}, guests {self.guests}"
            + (", a stranger at the door" if self.stranger else ""),
            *(f"lobby: {fault}" for fault in self.lobby),
            *(f"{fault}" for fault in self.faults),
        ]


def plan(seed: int, game: str = "small", seats: int | None = None) -> Plan:
    """The plan of a seed; ``game``: "small" for any of the small ones."""
    chance = random.Random(f"{seed} {game} {seats}")
    chosen = chance.choice(SMALL) if game == "small" else game
    allowed = SEATS[chosen]
    if seats is not None and seats not in allowed:
        raise ValueError(f"{chosen} is played by {allowed}, not by {seats}")
    names = NAMES[: seats or chance.choice(allowed)]
    options, length = _options(chance, chosen, len(names))
    draw = _Draw(chance, names, length)
    liars = draw.liars()
    guests = GUESTS[: chance.choice((0, 0, 0, 1, 2))]
    stranger = chance.random() < 0.1
    # A quarter of the runs is calm but for liars: there what they do is seen most clearly.
    count = 0 if chance.random() < 0.25 else 1 + int(chance.expovariate(0.35))
    faults = [draw.fault(guests) for _ in range(count)]
    faults += [f for guest in guests for f in draw.visits(guest)]
    honest = [name for name in names if name not in liars]
    leaver = chance.choice(honest)
    leaving = chance.random() < 0.15 and chosen in ("little", "azi")
    return Plan(
        seed,
        chosen,
        options,
        names,
        chance.choice(((0.001, 1.0), (0.01, 1.0), (0.01, 30.0), (0.05, 4.0), (0.2, 3.0))),
        {n: draw.seconds(0.05, 12) for n in names[1:] if chance.random() < 0.15},
        frozenset(n for n in names if chance.random() < 0.15),
        tuple(draw.lobby_fault() for _ in range(chance.choice((0, 0, 0, 1, 3)))),
        tuple(sorted(faults, key=lambda fault: fault.at)),
        liars,
        {leaver: chance.choice(("leave", "out"))} if leaving else {},
        guests,
        stranger,
    )


def vote_plan(seed: int, game: str = "small", seats: int | None = None) -> Plan:
    """A plan of a seed in which seats are away for so long that the others vote about them."""
    chance = random.Random(f"votes {seed} {game} {seats}")
    chosen = chance.choice(SMALL) if game == "small" else game
    allowed = SEATS[chosen]
    if seats is not None and seats not in allowed:
        raise ValueError(f"{chosen} is played by {allowed}, not by {seats}")
    names = NAMES[: seats or chance.choice([n for n in allowed if n > 2 or chance.random() < 0.2])]
    options, length = _options(chance, chosen, len(names))
    draw = _Draw(chance, names, length)
    few = (len(names) - 1) // 2 if chance.random() < 0.85 else len(names) - 1
    count = min(chance.choice((0, 0, 1, 1, 2)), few)
    some = (*VOTE_LIARS, chance.choice(LIARS))
    liars = {name: chance.choice(some) for name in sorted(chance.sample(names, count))}
    faults = [draw.absence() for _ in range(chance.choice((0, 1)) if liars else 1)]
    faults += [draw.vote_fault() for _ in range(int(chance.expovariate(0.5)))]
    if chance.random() < 0.3:
        # One cut after the other, while the votes about the one before are still under way.
        faults += [draw.absence() for _ in range(chance.randint(3, 8))]
    clock = _CLOCKS[chosen], chance.choice((0, 5, 20))
    latency = chance.choice(((0.001, 1.0), (0.01, 30.0), (0.05, 4.0), (0.2, 3.0)))
    guests = GUESTS[: chance.choice((0, 0, 0, 1))]
    faults += [f for guest in guests for f in draw.visits(guest)]
    return Plan(
        seed,
        chosen,
        (*options, clock),
        names,
        latency,
        faults=tuple(sorted(faults, key=lambda fault: fault.at)),
        liars=liars,
        guests=guests,
    )


_CLOCKS = {
    "little": "seconds",
    "topcard": "seconds",
    "azi": "turn_seconds",
    "hazari": "arrange_seconds",
}
"""The option that says how long a person may think."""

MOMENTS = ("before write", "after write", "before send", "after send")
VOTE_MOMENTS = (
    "before vote write",
    "after vote write",
    "before vote send",
    "after vote send",
)


def vote_kill(seed: int, game: str, seats: int | None, number: int, word: str) -> Plan:
    """A table that one seat is cut off from; another program is killed at just this moment."""
    allowed = [n for n in SEATS["little" if game == "small" else game] if n > 2]
    calm = plan(seed, "little" if game == "small" else game, seats or max(allowed))
    chance = random.Random(f"{seed} who")
    silent, who = chance.sample(calm.names, 2)
    draw = _Draw(chance, calm.names, 60 + 12 * len(calm.names) ** 2)
    cut = Fault(chance.randrange(draw.length), "partition", (silent,), 150.0, seed)
    fault = Fault(0, "kill at", (who,), chance.choice((0.5, 8.0, 40.0)), number, word)
    options = tuple((n, 1 if n == "hands" else value) for n, value in calm.options)
    return Plan(seed, calm.game, options, calm.names, faults=(fault, cut))


def kill(seed: int, game: str, seats: int | None, number: int, word: str) -> Plan:
    """A calm table of a seed at which one program is killed at just this moment."""
    calm = plan(seed, game, seats)
    who = random.Random(f"{seed} who").choice(calm.names)
    fault = Fault(0, "kill at", (who,), 0.5, number, word)
    options = tuple((n, 1 if n == "hands" else value) for n, value in calm.options)
    return Plan(seed, calm.game, options, calm.names, faults=(fault,))


def _options(
    chance: random.Random, game: str, seats: int
) -> tuple[tuple[tuple[str, int | str], ...], int]:
    """Options that keep a match short, and about how many ticks it takes."""
    if game in SMALL:
        hands = chance.choice((1, 1, 1, 2, 2, 3))
        return (("hands", hands),), 60 + hands * 12 * seats * seats
    if game == "hazari":
        hands = chance.choice((1, 1, 2))
        return (("hands", hands),), 400 + 200 * hands
    hands = chance.choice((1, 2, 3))
    more: list[tuple[str, int | str]] = [("hands", hands), ("stack", chance.choice((60, 300)))]
    way = chance.choice(("plain", "blind", "four cards"))
    if way == "blind":
        more.append(("blind", "on"))
    if way == "four cards":
        more.append(("cards", 4))
    more.append(("azi_entry", chance.choice(("half_pot", "all_ante", "trick_takers_only"))))
    return tuple(more), 100 + hands * 40 * seats * seats


@dataclass(slots=True)
class _Draw:
    """Draws the parts of a plan; ``length``: ticks of a match without faults, about."""

    chance: random.Random
    names: tuple[str, ...]
    length: int

    def seconds(self, least: float, most: float) -> float:
        """A time of any order of magnitude between two."""
        low, high = math.log(least), math.log(most)
        return round(math.exp(self.chance.uniform(low, high)), 3)

    def liars(self) -> dict[str, str]:
        """Mostly nobody or one, sometimes two; one honest seat at least."""
        count = min(self.chance.choice((0, 0, 0, 1, 1, 1, 2)), len(self.names) - 1)
        return {
            name: self.chance.choice(LIARS)
            for name in sorted(self.chance.sample(self.names, count))
        }

    def fault(self, guests: tuple[str, ...]) -> Fault:
        """One fault of any kind; two in five are kills, for these find most."""
        makers: list[tuple[int, Callable[[int], Fault]]] = [
            (4, self._cut),
            (3, self._stall),
            (3, self._reset),
            (4, self._partition),
            (2, self._slow),
            (4, self._kill),
            (8, self._kill_at),
            (3, self._disk),
            (1, self._jump),
            (2, self._dial),
        ]
        weights = [weight for weight, _ in makers]
        (maker,) = self.chance.choices([make for _, make in makers], weights)
        return maker(self.chance.randrange(int(self.length * 1.2)))

    def lobby_fault(self) -> Fault:
        """A fault of the network while people sit down; ``at`` is in milliseconds."""
        maker = self.chance.choice((self._cut, self._stall, self._reset, self._dial))
        return maker(self.chance.randrange(6_000))

    def visits(self, guest: str) -> list[Fault]:
        """A guest comes, and may be killed or leave, and come again."""
        at = sorted(self.chance.randrange(self.length) for _ in range(self.chance.choice((1, 3))))
        words = ("watch", "unwatch", "watch")
        return [Fault(tick, "guest", (guest,), word=w) for tick, w in zip(at, words, strict=False)]

    def absence(self) -> Fault:
        """One seat, or some, are off for as long as the others need to declare them gone."""
        at = self.chance.randrange(self.length * 2 // 3)
        seconds = self.seconds(25, 220)
        number = self.chance.randrange(2**32)
        most = self.chance.choice((1, 1, len(self.names) // 2, len(self.names) - 1))
        hosts = tuple(sorted(self.chance.sample(self.names, max(1, most))))
        if self.chance.random() < 0.35:
            return Fault(at, "kill", hosts, seconds, word=self.chance.choice(("process", "power")))
        return Fault(at, "partition", hosts, seconds, number)

    def vote_fault(self) -> Fault:
        """One fault that may fall into a vote."""
        kinds = ("absence", "cut", "kill at", "kill at", "jump", "any", "depart")
        kind = self.chance.choice(kinds)
        at = self.chance.randrange(self.length)
        if kind == "absence":
            return self.absence()
        if kind == "depart":
            return Fault(at, kind, self._one())
        if kind == "cut":
            word = self.chance.choice(("cut", "stall"))
            return Fault(at, word, self._pair(), self.seconds(5, 200))
        if kind == "kill at":
            number = self.chance.choice((0, 0, 1, 1, 2, 3, 5, 8, 13))
            word = self.chance.choice(VOTE_MOMENTS)
            return Fault(0, "kill at", self._one(), self.seconds(0.1, 90), number, word)
        return self._jump(at) if kind == "jump" else self.fault(())

    def _pair(self) -> tuple[str, ...]:
        return tuple(self.chance.sample(self.names, 2))

    def _one(self) -> tuple[str, ...]:
        return (self.chance.choice(self.names),)

    def _cut(self, at: int) -> Fault:
        return Fault(at, "cut", self._pair(), self.seconds(0.02, 25))

    def _stall(self, at: int) -> Fault:
        return Fault(at, "stall", self._pair(), self.seconds(0.02, 25))

    def _reset(self, at: int) -> Fault:
        return Fault(at, "reset", self._pair())

    def _partition(self, at: int) -> Fault:
        """Some on one side; every way heals at a time of its own (``number`` seeds these)."""
        side = self.chance.sample(self.names, self.chance.randint(1, len(self.names) - 1))
        number = self.chance.randrange(2**32)
        return Fault(at, "partition", tuple(sorted(side)), self.seconds(0.1, 30), number)

    def _slow(self, at: int) -> Fault:
        return Fault(at, "slow", self._one(), self.seconds(0.5, 20), self.chance.choice((5, 50)))

    def _kill(self, at: int) -> Fault:
        hosts = self._one()
        if self.chance.random() < 0.2:
            hosts = tuple(self.chance.sample(self.names, self.chance.randint(1, len(self.names))))
        word = self.chance.choice(("process", "power"))
        return Fault(at, "kill", hosts, self.seconds(0.01, 15), word=word)

    def _kill_at(self, at: int) -> Fault:
        """Just before or after a write or a send of one machine, whichever number it has."""
        what = self.chance.choice(("write", "send"))
        when = self.chance.choice(("before", "after"))
        number = self.chance.randrange(max(8, self.length // len(self.names) // 2))
        return Fault(0, "kill at", self._one(), self.seconds(0.01, 12), number, f"{when} {what}")

    def _disk(self, at: int) -> Fault:
        """A write that fails: ``full`` is not on disk, ``torn`` is, though the program hears no."""
        number = self.chance.randrange(max(8, self.length // len(self.names) // 2))
        word = self.chance.choice(("full", "torn"))
        return Fault(0, "disk", self._one(), self.seconds(0.05, 8), number, word)

    def _jump(self, at: int) -> Fault:
        number = self.chance.choice((-86_400, -3600, -1, 1, 3600, 86_400 * 400))
        return Fault(at, "jump", self._one(), number=number)

    def _dial(self, at: int) -> Fault:
        return Fault(at, "dial", self._pair(), number=self.chance.choice((1, 1, 3)))
