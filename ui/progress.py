"""The demo's running commentary: what the bot processes say, in words for people, as it comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ui.children import Line
from ui.steps import said
from ui.witness import Witness, of, seats_of
from ui.wording import count, listed, named, standing

_STEPS = {
    "commit": "all fix key shares and shuffles, hidden",
    "open": "all open key shares and commitments",
    "mix": "{who} shuffles",
    "prove": "all prove their shuffles",
}

_SHORT = {"commit": "commit", "open": "open", "mix": "{who}", "prove": "proofs"}


class Commentary:
    """Follows all processes; tells the table's story once, by the words of the first one."""

    def __init__(self, witnesses: Sequence[Witness], say: Callable[[str], None]) -> None:
        self._witnesses = witnesses
        self._say = say
        self._told_found: set[str] = set()
        self._last: dict[int, float] = {}
        self._times: dict[int, list[str]] = {}
        self._began = 0.0
        self._between = False

    def hear(self, number: int, line: Line, now: float) -> None:
        """Comments on a line that the witness has already taken in."""
        witness = self._witnesses[number]
        kind = line.get("event")
        if kind == "listening":
            self._say(f"{witness.name} ({witness.short}) listens on port {line.get('port')}")
        if kind in ("peer_found", "listening"):
            for one in self._witnesses:
                self._found(one, now)
        elif kind == "discovery_off":
            self._say(f"{witness.name} cannot look for others: {line.get('reason')}")
        elif kind == "fault":
            self._say(f"{witness.name} sees a fault of {line.get('player')}: {line.get('text')}")
        elif kind == "pack":
            self._checked(of(line, "pack", int))
        if number == 0:
            self._table(witness, line, now)

    def _table(self, first: Witness, line: Line, now: float) -> None:
        match line.get("event"):
            case "lobby":
                players = of(line, "players", list)
                names = [of(player, "name", str) for player in players]
                self._say(f"{count(len(names), 'player')} at the table: {listed(names)}")
            case "agreed":
                seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(first.players))
                self._say(f"all have signed the agreement; seats by lot: {seats}")
                self._began = now
            case "step" if line.get("lane") != 0:
                self._shuffling(first, line, now)
            case "hand_started":
                self._began = now
                self._between = False
            case "move" if self._between:
                name = first.players[of(line, "seat", int)]
                self._say(f"between hands {name} chooses: {said(tuple(of(line, 'move', list)))}")
            case "hand_over":
                self._hand(first, line, now)
                self._between = True
            case "match_over":
                self._say(named(of(line, "text", str), first.players))

    def _found(self, witness: Witness, now: float) -> None:
        others = {one.short: one.name for one in self._witnesses if one is not witness}
        whole = "" not in others and set(others) <= set(witness.found)
        if whole and witness.name not in self._told_found:
            self._told_found.add(witness.name)
            self._say(
                f"{witness.name} has found {listed(list(others.values()))} by mDNS ({now:.1f} s)"
            )

    def _shuffling(self, first: Witness, line: Line, now: float) -> None:
        pack, kind = of(line, "lane", int), of(line, "kind", str)
        # The first pack is begun with the table, each next one with a hand.
        seconds = now - self._last.get(pack, self._began)
        self._last[pack] = now
        who = listed([first.players[seat] for seat in seats_of(line)])
        if pack == 1:  # at first every step, later one line a pack
            words = _STEPS.get(kind, kind).format(who=who)
            self._say(f"pack 1: {words} ({seconds:.2f} s)")
        short = _SHORT.get(kind, kind).format(who=who)
        self._times.setdefault(pack, []).append(f"{short} {seconds:.2f}")

    def _checked(self, pack: int) -> None:
        """Says so when every process has checked all proofs of a pack."""
        if all(pack in one.packs for one in self._witnesses):
            seats = len(self._witnesses[0].packs[pack])
            # Who is not dealt in has no proof of its own in the pack, and one more to check.
            each = f"the {count(seats - 1, 'proof')} of others"
            if seats < len(self._witnesses):
                each = f"all {count(seats, 'proof')} but its own"
            done = f"each of the {len(self._witnesses)} processes has checked {each}"
            times = "" if pack == 1 else f" (seconds: {', '.join(self._times.get(pack, []))})"
            self._say(f"pack {pack}: {done}{times}")

    def _hand(self, first: Witness, line: Line, now: float) -> None:
        self._say(f"hand {line.get('hand')}, {now - self._began:.2f} s:")
        for sentence in of(line, "story", list):
            self._say(f"    {named(str(sentence), first.players)}")
        for row in standing(of(line, "standing", list), first.players, "{} so far"):
            self._say(f"    {row}")
