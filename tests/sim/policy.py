"""What a run must come to, by the rule for silent seats (SPEC 5.6).

Three gaps are known and allowed for unless a run is ``strict``; tests/sim/test_known.py has them:

- A table that is over is not gone on with after a restart. If the last entry of that seat has not
  reached the others by then, they wait for it for ever, or declare it gone.
- A seat that has seen two entries of a liar who was out already forgets them in a restart. If
  another honest seat was shown the other version and stopped by it, the first waits for it.
- Who meets an entry on another history in the first step of a pack's lane does not show what its
  own rests on. So two who were shown two versions of READY may wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.clocks import PERSON_SECONDS, UNHEARD_GRACE
from tests.sim.plan import Plan

FORKING = frozenset({"equivocator", "stray", "perjurer"})
"""Roles by which honest programs may be shown two histories for a while, until they meet and stop
the table. A stray entry is one of two if its seat owes one just then."""

BLOCKING = frozenset(
    {
        *("silent", "deaf", "forger", "equivocator", "stray"),
        *("shunner", "perjurer", "withholder", "standless", "mute leader", "vote flooder"),
    }
)
"""Roles that may leave a seat's entries or votes away for good: by will, for want of ears, or
because their own program is lost in its lies. Who only misuses links (replayer, garbler, flooder)
stops nobody: its honest entries must get through in the end."""

CALM_SECONDS = 240.0
"""Virtual seconds after the last fault in which a match must end: a vote may be under way then."""

STEP_SECONDS = 0.5
"""What each step of the record may take besides, by the latency of the network."""

ROUNDS_SECONDS = 120.0
"""What the rounds of one vote may take while a few lie."""

WAITING_SECONDS = 30.0
"""See ``Expectation.waiting``."""


@dataclass(frozen=True, slots=True)
class Wait:
    """What an honest seat waits for: these players' entries, in a step of a kind.

    ``voters``: who may vote there. ``votable``: the game goes on without them. ``shaken``: it waits
    for a vote about a step before.
    """

    kind: str
    names: tuple[str, ...]
    voters: tuple[str, ...]
    votable: bool
    shaken: bool = False


@dataclass(frozen=True, slots=True)
class Expectation:
    """What may and must happen in a run of this plan; ``strict``: known gaps are violations."""

    plan: Plan
    strict: bool = False

    @property
    def forks(self) -> bool:
        """Whether honest programs may close a step on different entries."""
        return not FORKING.isdisjoint(self.plan.liars.values())

    @property
    def faults(self) -> bool:
        """Whether any fault may be seen at all."""
        return bool(self.plan.liars) or self.plan.stranger

    def guilty(self, name: str) -> bool:
        """Whether a fault may be laid to this player."""
        return name in self.plan.liars or name not in ("", *self.plan.names, *self.plan.guests)

    def may_stop(self, name: str, code: str) -> bool:
        """Whether the table may stop by this player."""
        leaves = name in self.plan.leaves or name in self.plan.departs
        return self.guilty(name) or (code == "left" and leaves)

    def may_end_without(self, names: list[str], code: str) -> bool:
        """Whether the table may end for want of these players, who are not to blame for it.

        It does where too few are left who are neither out nor away; that takes a fault or a liar.
        """
        troubled = bool(self.plan.faults or self.plan.liars)
        return bool(names) and code in ("absent", "gone", "left") and troubled

    @property
    def one_end(self) -> bool:
        """Whether all honest records must be one at the end. A table that is stopped by two entries
        for one place ends where each sees them; who leaves hears no more.
        """
        return not self.forks and not self._leaves

    @property
    def complete(self) -> bool:
        """Whether the record must be sound and complete at the end."""
        return not self.plan.liars and not self._leaves

    @property
    def _leaves(self) -> bool:
        """Whether somebody may hear no more of the table before it ends."""
        return bool(self.plan.leaves or self.plan.departs)

    def may_all_wait(self, waits: dict[str, Wait], gone: frozenset[str], forked: bool) -> bool:
        """Whether honest seats may wait so without end: for liars, and for each other if for these.

        ``gone``: honest ones whose table is over, and whose program was started again since.
        ``forked``: honest seats have closed a step on different entries.
        """
        waiting: set[str] = set()
        while True:
            more = {
                name
                for name, wait in waits.items()
                if self._may_wait(wait, waiting - {name}, gone, forked)
            }
            if more <= waiting:
                return waiting == waits.keys()
            waiting |= more

    def _may_wait(self, wait: Wait, waiting: set[str], gone: frozenset[str], forked: bool) -> bool:
        lost = {name for name, role in self.plan.liars.items() if role in BLOCKING}
        lost |= self.plan.departs
        if not self.strict:
            lost |= gone | (set(self.plan.names) if forked else set())
        there = len([name for name in wait.voters if name not in lost])
        no_majority = 2 * there <= len(wait.voters)
        if wait.shaken:
            return no_majority
        if not wait.names or not (lost | waiting).issuperset(wait.names):
            return False
        return not wait.votable or no_majority

    def waiting(self, forked: bool) -> float:
        """Calm seconds after which whoever waits for such players is taken to wait for ever."""
        return WAITING_SECONDS + (PERSON_SECONDS if forked else 0)

    @property
    def bound(self) -> float:
        """Virtual seconds in which a match must end once it is calm."""
        hands = dict(self.plan.options).get("hands", 1)
        assert isinstance(hands, int)
        typical, longer = self.plan.latency
        steps = hands * (12 + 8 * len(self.plan.names))
        # Who knows of a lie stops by it when another seat is overdue (SPEC 5.5): at a person's step
        # that is long. And each hand may be held up by each liar, and by who leaves while nobody
        # hears it: in its pack's lane, in one step of its own, and at SIT.
        person = PERSON_SECONDS if self.forks else 0
        absence = PERSON_SECONDS + 3 * (UNHEARD_GRACE + ROUNDS_SECONDS)
        votes = (len(self.plan.liars) + len(self.plan.departs)) * (hands + 1) * absence
        calm = CALM_SECONDS + person + votes
        return calm + steps * max(STEP_SECONDS, typical * (1 + longer / 4))
