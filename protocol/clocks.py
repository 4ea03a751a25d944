"""How long a step may take, how long a silent seat is waited for, how long a vote. SPEC 8.

No clock decides anything by itself: what runs out here only makes this seat speak.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.lane import Lane

NO_PERSON_SECONDS = 10.0
"""For a step that waits for computers only; the heaviest takes well under a second."""

SIT_SECONDS = 70.0
"""For a SIT: programs may hold it back for a minute, while people look at the result."""

PERSON_SECONDS = 600.0
"""For a person's step at a table without a clock."""

HEARD_GRACE = 10.0
UNHEARD_GRACE = 60.0
"""Seconds beyond its clock that a seat is waited for before this one calls it gone: one whose
computer is linked with this one is there, and is silent; another one may be coming back. The game's
options may say otherwise for the latter."""

OVERSLEPT = 30.0
"""So late a tick shows that this computer has slept: then it must first hear what it missed."""

ROUND_SECONDS = 5.0
LONGEST_ROUND = 60.0
"""The first round of a vote takes this long at least, the second twice as much, and so on."""

LEADER_SECONDS = 2.0
"""How long a round's leader is waited for."""

NEVER = float("inf")

Place = tuple[Lane, int]


@dataclass(slots=True)
class Clocks:
    """One clock per open step, started when this seat first saw the step open."""

    _deadlines: dict[Place, tuple[float, float]] = field(default_factory=dict)
    _said: set[Place] = field(default_factory=set)
    _returns: dict[tuple[Lane, int, int], float] = field(default_factory=dict)

    def watch(self, lane: Lane, seconds: float, now: float) -> None:
        """Starts the clock of the lane's open step if it is not running."""
        if lane.owed:
            self._deadlines.setdefault((lane, lane.step), (now + seconds, seconds))

    def tidy(self, open_steps: set[Place]) -> None:
        """Forgets the clocks of steps that have closed."""
        self._deadlines = {k: v for k, v in self._deadlines.items() if k in open_steps}
        self._said &= open_steps
        self._returns = {k: at for k, at in self._returns.items() if k[:2] in open_steps}

    def restart(self, now: float) -> None:
        """All clocks begin anew."""
        self._deadlines = {
            k: (now + seconds, seconds) for k, (_, seconds) in self._deadlines.items()
        }
        self._said.clear()
        self._returns.clear()

    def returned(self, lane: Lane, seat: int, now: float) -> None:
        """A silent seat's computer is linked again: its own clock has begun anew.

        Once for a step, or links that come and go would hold the table up for ever.
        """
        _, seconds = self._deadlines.get((lane, lane.step), (0.0, 0.0))
        self._returns.setdefault((lane, lane.step, seat), now + seconds)

    def overdue(self, lane: Lane, now: float) -> list[tuple[tuple[int, ...], float]]:
        """The seats that are overdue now and were not said to be so before, with their time."""
        place = (lane, lane.step)
        deadline, seconds = self._deadlines.get(place, (NEVER, 0.0))
        if now < deadline or place in self._said:
            return []
        self._said.add(place)
        return [(lane.missing, seconds)]

    def runs_out_at(self, lane: Lane, seat: int) -> float:
        """When a seat is overdue in the open step, or was; infinity: there is no clock yet."""
        at, _ = self._deadlines.get((lane, lane.step), (NEVER, 0.0))
        return max(at, self._returns.get((lane, lane.step, seat), at))

    @property
    def ran_out(self) -> bool:
        """Whether a step that is still open has been said to be overdue."""
        return bool(self._said)

    @property
    def next(self) -> float | None:
        """The next time at which a step becomes overdue."""
        waiting = [when for place, (when, _) in self._deadlines.items() if place not in self._said]
        return min(waiting, default=None)


def round_seconds(number: int) -> float:
    """How long a round of a vote lasts before the next one may begin."""
    return min(ROUND_SECONDS * number, LONGEST_ROUND)
