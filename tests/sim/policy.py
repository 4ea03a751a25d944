"""What a run must come to, by today's rules. When votes on silent seats come, this changes alone.

Three gaps are known and allowed for unless a run is ``strict``; tests/sim/test_known.py has them:

- A table that is over is not gone on with after a restart. If the last entry of that seat has not
  reached the others by then, they wait for it for ever.
- A seat that has seen two entries of a liar who was out already forgets them in a restart. If
  another honest seat was shown the other version and stopped by it, the first waits for it.
- Who meets an entry on another history in the first step of a pack's lane does not show what its
  own rests on. So two who were shown two versions of READY may wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.clocks import PERSON_SECONDS
from tests.sim.plan import Plan

FORKING = frozenset({"equivocator", "stray"})
"""Roles by which honest programs may be shown two histories for a while, until they meet and stop
the table. A stray entry is one of two if its seat owes one just then."""

BLOCKING = frozenset({"silent", "deaf", "forger", "equivocator", "stray"})
"""Roles that may leave a seat's entries away for good: by will, for want of ears, or because their
own program is lost in its lies. There is no vote yet, so the others wait. Who only misuses links
(replayer, garbler, flooder) stops nobody: its honest entries must get through in the end."""

CALM_SECONDS = 120.0
"""Virtual seconds after the last fault in which a match must end."""

STEP_SECONDS = 0.5
"""What each step of the record may take besides, by the latency of the network."""

WAITING_SECONDS = 30.0
"""See ``Expectation.waiting``."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What may and must happen in a run of this plan; ``strict``: known gaps are violations."""

    plan: Plan
    strict: bool = False

    @property
    def forks(self) -> bool:
        """Whether honest programs may close a step on different heads."""
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
        return self.guilty(name) or (code == "left" and name in self.plan.leaves)

    @property
    def one_end(self) -> bool:
        """Whether all honest records must be one at the end. A table that is stopped by two entries
        for one place ends where each sees them; who leaves hears no more.
        """
        return not self.forks and not self.plan.leaves

    @property
    def complete(self) -> bool:
        """Whether the record must be sound and complete at the end."""
        return not self.plan.liars and not self.plan.leaves

    def may_wait_for(self, names: tuple[str, ...], gone: frozenset[str], forked: bool) -> bool:
        """Whether honest seats may wait for these players without end.

        ``gone``: honest ones whose table is over, and whose program was started again since.
        ``forked``: honest seats have closed a step on different heads.
        """
        known = frozenset() if self.strict else gone
        if forked and not self.strict:
            known = known | frozenset(self.plan.names)
        return bool(names) and all(
            self.plan.liars.get(name) in BLOCKING or name in known for name in names
        )

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
        # that is long.
        person = PERSON_SECONDS if self.forks else 0
        return CALM_SECONDS + person + steps * max(STEP_SECONDS, typical * (1 + longer / 4))
