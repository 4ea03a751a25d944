"""One match of real processes: they are started, killed by plan, started again, and judged."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.soak.chance import Chance, Kill, Plan
from tests.soak.judge import judged
from tests.soak.member import Line, Member, Said, free_port

NAMES = ("anna", "bert", "carl", "dora", "emil", "fina")

PATIENCE = 240.0
"""Seconds after the last kill or start by which a match must be over."""

LOBBY_PATIENCE = 90.0
"""The same for the time by which all must have agreed."""

NO_MOMENT = {"vote": 6.0, "result": 25.0, "between": 25.0, "end": 60.0}
"""Seconds after which a kill comes at any time, if its moment has not come; usually 12."""


class Violation(AssertionError):
    """What must not happen has happened."""


class Table:
    """The peers of a match, and what they say.

    ``by``: ``ports``: each has a port of its own, and finds the others by their addresses, which
    do not change; ``mdns``: each has any port, and finds the others by mDNS.
    """

    def __init__(
        self,
        folder: Path,
        seats: int,
        by: str = "ports",
        shorts: bool = False,
        members: Sequence[Member] = (),
    ) -> None:
        self.folder = folder
        self.said: SimpleQueue[Said] = SimpleQueue()
        self.by = by
        self.restarts: list[tuple[float, Member]] = []
        self.kills: Counter[str] = Counter()
        self.touched = time.monotonic()
        self.opener_died = False
        more = [] if shorts else ["--no-shorts"]
        self.members = list(members)
        for name in NAMES[len(self.members) : seats]:
            bare = [*more]
            if by == "ports":
                bare += ["--no-discovery", "--port", str(free_port())]
            self.members.append(Member(name, folder, self.said, bare))

    def sit_down(self, game: str, options: Sequence[str], invite: bool = False) -> None:
        """Starts all: the first opens a table, the others join it."""
        opener, *others = self.members
        table = f"soak {self.folder.name}"
        opener.way = ["--open", "--table", table, "--game", game, "--seats", f"{len(others) + 1}"]
        for option in options:
            opener.way += ["--option", option]
        port = opener.bare[opener.bare.index("--port") + 1] if self.by == "ports" else ""
        for member in others:
            where = ["--join", f"127.0.0.1:{port}", "--give-up", "900"] if port else []
            member.way = ["--table", table, *where]
        for member in self.members:
            member.start()

    def end(self) -> None:
        """Nothing is left running."""
        for member in self.members:
            member.end()

    # Killing and starting again.

    def kill(self, member: Member, stage: str, down: float) -> None:
        """SIGKILL, and a start in so many seconds."""
        if not member.alive:
            return
        if member is self.members[0] and not member.seated:
            self.opener_died = True
        member.kill()
        self.kills[stage] += 1
        self.note(f"{member.name} is killed ({stage}), down {down:.1f} s")
        self.start_in(member, down)

    def start_in(self, member: Member, seconds: float) -> None:
        """Starts a member in so many seconds."""
        self.restarts.append((time.monotonic() + seconds, member))
        self.touched = time.monotonic()

    def start_due(self) -> None:
        """Starts those whose time has come."""
        now = time.monotonic()
        for one in list(self.restarts):
            if one[0] <= now:
                self.restarts.remove(one)
                self.touched = now
                one[1].start()
                self.note(f"{one[1].name} is started")

    def note(self, text: str) -> None:
        """A line for whoever looks at a match that went wrong."""
        with (self.folder / "done.log").open("a") as log:
            log.write(f"{time.monotonic():.3f} {text}\n")

    # Listening.

    def hear(self, seconds: float) -> Said | None:
        """What is said next, within so many seconds; starts who is due meanwhile."""
        self.start_due()
        try:
            said = self.said.get(timeout=max(0.0, seconds))
        except Empty:
            return None
        if said.line is None:
            self._run_ended(said.member, said.run)
        elif said.line["event"] == "turned_away" and said.member.run.number == said.run:
            said.member.let_go()  # else it lingers
        return said

    def _run_ended(self, member: Member, number: int) -> None:
        run = member.runs[number]
        code = run.process.returncode
        if run.killed or self._closing:
            return
        self.note(f"{member.name} has ended by itself: {code}")
        if code == 8 and not member.seated and self.opener_died:
            self.start_in(member, 0.5)  # its opener is gone: as documented
        elif code not in self.allowed:
            raise Violation(f"{member.name} has ended with {code}: {member.words()[-500:]}")

    _closing = False
    allowed: frozenset[int] = frozenset()

    def until(self, reached: Callable[[], bool], seconds: float, what: str) -> None:
        """Listens until this holds."""
        deadline = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > deadline:
                raise Violation(f"not within {seconds:g} s: {what}; {self.whereabouts()}")
            self.hear(0.2)

    def until_told(
        self,
        kind: str,
        seconds: float = 60.0,
        members: Sequence[Member] = (),
        where: Callable[[Line], bool] = lambda line: True,
    ) -> None:
        """Listens until all of these members (or all there are) have told such a line."""
        wanted = members or self.members
        self.until(
            lambda: all(any(map(where, member.told(kind))) for member in wanted),
            seconds,
            f"{kind} told by {', '.join(member.name for member in wanted)}",
        )

    def quiet(self, seconds: float) -> None:
        """Listens for so many seconds."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.hear(min(left, 0.2))

    def finish(self, patience: float = PATIENCE) -> None:
        """Waits for the end of the match at all peers; then they may end, and must with 0."""
        while not all(member.over for member in self.members):
            if not self.restarts and time.monotonic() > self.touched + patience:
                raise Violation(f"no end {patience:g} s after the last start: {self.whereabouts()}")
            self.hear(0.2)
        self.close()

    def close(self) -> None:
        """All may end, and must with 0."""
        self._closing = True
        for member in self.members:
            member.let_go()
        deadline = time.monotonic() + 20
        for member in self.members:
            run = member.run
            while not run.read and time.monotonic() < deadline:
                time.sleep(0.02)
            if not run.read:
                raise Violation(f"{member.name} does not end when it may")
            if run.process.returncode != 0:
                raise Violation(f"{member.name} has ended with {run.process.returncode}")

    def whereabouts(self) -> str:
        """Where each peer stands."""
        places = []
        for member in self.members:
            step = next(iter(reversed(member.told("step"))), None)
            last = member.run.lines[-1]["event"] if member.run.lines else "nothing"
            place = f"{step['lane']}/{step['step']} {step['kind']}" if step else "no step"
            state = "runs" if member.alive else f"ended {member.run.process.returncode}"
            places.append(f"{member.name} {state}, {place}, last told {last}")
        return "; ".join(places)


@contextmanager
def seated(table: Table) -> Iterator[Table]:
    """A table whose processes end with the block."""
    try:
        yield table
    finally:
        for member in table.members:
            if member.alive:
                member.signal(signal.SIGCONT)
        table.end()


def decided(view: Line) -> bool:
    """Whether a hand has ended and its RESULT is due."""
    return view["phase"] == "over" or bool(view.get("scores"))


def stage_of(said: Said, hands: int) -> str:
    """What a line shows that its peer is about; empty: nothing."""
    line = said.line
    assert line is not None
    match line["event"]:
        case "lobby":
            full = len(line["players"]) == line["seats"]
            return "seal" if full else "lobby"
        case "agreed":
            return "seal"
        case "proof_checked":
            return "pack"
        case "hand_started":
            return "deal"
        case "your_move" | "move":
            return "move"
        case "hand_over":
            return "end" if line["hand"] >= hands else "result"
        case "vote" | "overdue" | "gone" | "went_back" | "came_back":
            return "vote"
        case "view" if decided(line["view"]):
            return "end" if line["view"]["hand_number"] >= hands else "result"
        case "step" if line["lane"]:
            return "pack"
        case "step":
            between = ("sit", "ready", "back")
            kind = line["kind"]
            return {"shares": "deal", "lock": "move"}.get(
                kind, "between" if kind in between else kind
            )
    return ""


class Murder:
    """Carries out the kills of a plan on a table, one after the other."""

    def __init__(self, table: Table, plan: Plan, seed: int) -> None:
        self._table = table
        self._kills = list(plan.kills)
        self._hands = int(plan.options[0].partition("=")[2])
        self._chance = Chance(seed, plan.number, "victims")
        self._armed = time.monotonic()
        self._skip = self._kills[0].skip if self._kills else 0
        self._at: float | None = None
        self._again: list[tuple[float, Member, str, float]] = []
        self._sayer: Member | None = None
        self._stage = ""

    def heard(self, said: Said | None) -> None:
        """Kills whom the plan says, when it is time."""
        now = time.monotonic()
        for one in list(self._again):
            at, member, stage, down = one
            if now >= at and member.alive:
                self._again.remove(one)
                if not member.run.event("match_over", "saved"):
                    self._table.kill(member, stage, down)
        if not self._kills:
            return
        kill = self._kills[0]
        if self._at is None:
            stage = stage_of(said, self._hands) if said and said.line else ""
            begun = any(member.seated for member in self._table.members)
            if not begun and kill.stage not in ("lobby", "seal"):
                self._armed = now
            late = now > self._armed + NO_MOMENT.get(kill.stage, 12.0)
            fits = stage == kill.stage or (kill.stage == "any" and stage and begun)
            if late or (fits and self._skip <= 0):
                self._at = now + kill.delay
                self._sayer = said.member if said else None
                self._stage = kill.stage if fits else "any" if begun else "lobby"
            elif fits:
                self._skip -= 1
        if self._at is not None and now >= self._at:
            self._strike(kill)
            self._kills.pop(0)
            self._armed, self._at = now, None
            self._skip = self._kills[0].skip if self._kills else 0

    @property
    def soon(self) -> float:
        """Seconds until there is something to do, whatever is said."""
        times = [0.2]
        now = time.monotonic()
        if self._at is not None:
            times.append(self._at - now)
        times += [at - now for at, _, _, _ in self._again]
        return max(0.001, min(times))

    def _strike(self, kill: Kill) -> None:
        # Who has it all stays: it may be the only one that can tell the others.
        alive = [
            one
            for one in self._table.members
            if one.alive and not one.run.event("match_over", "saved")
        ]
        if not alive:
            return
        first = self._chance.one(alive)
        if self._sayer in alive and self._chance.once_in(2):
            assert self._sayer is not None
            first = self._sayer
        victims = [first]
        others = [member for member in alive if member is not first]
        if kill.how == "two" and others:
            victims.append(self._chance.one(others))
        elif kill.how == "all":
            victims += others
        for number, victim in enumerate(victims):
            self._table.kill(victim, self._stage, kill.down[number])
        if kill.how == "again":
            at = time.monotonic() + kill.down[0] + 0.1 + kill.again
            self._again.append((at, first, self._stage, kill.down[1]))


def play(plan: Plan, seed: int, folder: Path, patience: float = PATIENCE) -> tuple[Table, float]:
    """A whole match with its kills; raises Violation. Returns how long it took after the last."""
    table = Table(folder, plan.seats, plan.by, plan.shorts)
    with seated(table):
        table.note(repr(plan))
        table.sit_down(plan.game, plan.options)
        murder = Murder(table, plan, seed)
        while not all(member.over for member in table.members):
            murder.heard(table.hear(murder.soon))
            limit = patience if all(one.seated for one in table.members) else LOBBY_PATIENCE
            if not table.restarts and time.monotonic() > table.touched + limit:
                raise Violation(f"no end {limit:g} s after the last kill: {table.whereabouts()}")
        took = time.monotonic() - table.touched
        table.close()
        wrong = judged(table.members)
        if wrong:
            raise Violation("\n  ".join(wrong))
    return table, took
