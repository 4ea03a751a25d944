"""How long a step may take before somebody is overdue. SPEC 8."""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.lane import Lane

NO_PERSON_SECONDS = 10.0
"""For a step that waits for computers only; the heaviest takes well under a second."""

PERSON_SECONDS = 600.0
"""For a person's step at a table without a clock."""


@dataclass(slots=True)
class Clocks:
    """One clock per open step, started when this seat first saw the step open."""

    _deadlines: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)
    _said: set[tuple[int, int]] = field(default_factory=set)

    def watch(self, lane: Lane, seconds: float, now: float) -> None:
        """Starts the clock of the lane's open step if it is not running."""
        if lane.owed:
            self._deadlines.setdefault((lane.number, lane.step), (now + seconds, seconds))

    def tidy(self, open_steps: set[tuple[int, int]]) -> None:
        """Forgets the clocks of steps that have closed."""
        self._deadlines = {k: v for k, v in self._deadlines.items() if k in open_steps}
        self._said &= open_steps

    def overdue(self, lane: Lane, now: float) -> list[tuple[tuple[int, ...], float]]:
        """The seats that are overdue now and were not said to be so before, with their time."""
        place = (lane.number, lane.step)
        deadline, seconds = self._deadlines.get(place, (float("inf"), 0.0))
        if now < deadline or place in self._said:
            return []
        self._said.add(place)
        return [(lane.missing, seconds)]

    @property
    def ran_out(self) -> bool:
        """Whether a step that is still open has been said to be overdue."""
        return bool(self._said)

    @property
    def next(self) -> float | None:
        """The next time at which a step becomes overdue."""
        waiting = [when for place, (when, _) in self._deadlines.items() if place not in self._said]
        return min(waiting, default=None)
