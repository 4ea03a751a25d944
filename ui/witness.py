"""What one bot process of the demo has said so far: the facts that the demo judges at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from ui.children import Line

T = TypeVar("T")


def of(line: Line, name: str, kind: type[T]) -> T:
    """A field of a line that must be of this kind; raises TypeError if it is not."""
    value = line.get(name)
    if not isinstance(value, kind):
        raise TypeError(f"line {line.get('event')}: {name} is {value!r}")
    return value


def seats_of(line: Line, name: str = "seats") -> tuple[int, ...]:
    """A field that is a list of seats."""
    return tuple(seat for seat in of(line, name, list) if isinstance(seat, int))


def names_of(line: Line) -> tuple[str, ...]:
    """The names of the players of a line, by seat."""
    return tuple(of(player, "name", str) for player in of(line, "players", list))


@dataclass(slots=True)
class Witness:
    """Facts by the words of one process. Times are seconds of the demo's own clock."""

    name: str
    short: str = ""
    found: dict[str, float] = field(default_factory=dict)
    """When whose short form came by mDNS."""
    seat: int | None = None
    players: tuple[str, ...] = ()
    agreed: float | None = None
    proofs: dict[int, set[int]] = field(default_factory=dict)
    """By pack: the seats whose shuffle proof this process has checked."""
    packs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The seats of each pack that is finished and wholly checked."""
    dealt: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """By hand: the pack that it was dealt from, and the seats that were dealt in."""
    hands: int = 0
    over: float | None = None
    faults: list[str] = field(default_factory=list)
    saved: bool = False
    reason: str = ""
    """Why it ended, in its own words."""
    code: int | None = None
    """Its exit code, once it has ended."""

    def hear(self, line: Line, now: float) -> None:
        """Takes in a line."""
        match line.get("event"):
            case "listening":
                self.short = of(line, "short", str)
            case "peer_found" if line.get("how") == "mdns":
                self.found.setdefault(of(line, "short", str), now)
            case "agreed":
                self.agreed = now
                self.seat = of(line, "seat", int)
                self.players = names_of(line)
            case "proof_checked":
                self.proofs.setdefault(of(line, "pack", int), set()).add(of(line, "seat", int))
            case "pack":
                self.packs[of(line, "pack", int)] = seats_of(line)
            case "hand_started":
                pack, seats = of(line, "pack", int), seats_of(line)
                self.dealt[of(line, "hand", int)] = (pack, seats)
            case "hand_over":
                self.hands += 1
            case "match_over":
                self.over = now
            case "fault":
                self.faults.append(of(line, "text", str))
            case "saved":
                self.saved = True
            case "ended":
                self.reason = of(line, "reason", str)

    def unchecked(self) -> list[int]:
        """Packs that count as finished here though a proof of another seat was not checked."""
        return [pack for pack, seats in self.packs.items() if not self._checked(pack, seats)]

    def vouches(self) -> bool:
        """Whether this process has checked every pack that was dealt, for the seats dealt in.

        A seat that was not dealt in has a proof more to check: it has none of its own.
        """
        dealt = self.dealt.values()
        whole = all(self.packs.get(pack) == seats for pack, seats in dealt)
        return bool(dealt) and whole and not self.unchecked()

    def _checked(self, pack: int, seats: tuple[int, ...]) -> bool:
        return set(seats) - {self.seat} <= self.proofs.get(pack, set())
