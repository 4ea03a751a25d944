"""The lines that ``facedown bot`` prints: one JSON object each, of a kind with fixed fields.

docs/bot-events.md explains every kind and field; a test holds the two together.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

SHAPES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "listening": ("name", "key", "short", "addresses", "port", "data"),
        "discovery_off": ("reason",),
        "peer_found": ("short", "name", "key_hint", "addresses", "how", "tables"),
        "peer_lost": ("short",),
        "table_seen": ("table", "game", "taken", "seats", "short"),
        "tables_told": ("short", "key", "tables"),
        "linked": ("key", "name", "short", "address", "how"),
        "unlinked": ("key", "name", "short", "reason"),
        "new_key": ("name", "short", "known"),
        "turned_away": ("code", "text"),
        "lobby": ("table", "game", "options", "seats", "players", "origin"),
        "invites": ("codes",),
        "looking": ("table", "players", "seconds"),
        "looked_in_vain": ("table",),
        "agreed": ("table_id", "seat", "players", "code", "table", "game", "options", "origin"),
        "resumed": ("table_id", "seat", "players", "code", "table", "game", "options", "origin"),
        "watching": ("table_id", "players", "code", "table", "game", "options", "origin"),
        "spectators": ("players",),
        "chat": ("key", "name", "short", "text", "own"),
        "step": ("lane", "step", "kind", "seats", "gone", "head", "bytes"),
        "proof_checked": ("pack", "seat", "seconds"),
        "pack": ("pack", "seats", "head"),
        "hand_started": ("hand", "pack", "seats"),
        "view": ("view",),
        "your_move": ("kind", "seconds", "view", "choices"),
        "refused": ("rule", "reason"),
        "sit": ("choice",),
        "miss": ("seat",),
        "go_on": (),
        "stdin_closed": (),
        "move": ("seat", "move", "opened"),
        "hand_over": ("hand", "standing", "story"),
        "sat": ("choices",),
        "match_over": ("winner", "shared", "rule", "text", "standing"),
        "stopped": ("seats", "code", "text"),
        "may_go_on": ("table_id", "hand", "standing", "seats"),
        "left": (),
        "overdue": ("lane", "step", "kind", "seats", "waiting"),
        "vote": ("lane", "step", "seat", "gone", "here", "needed"),
        "gone": ("lane", "step", "seat", "by"),
        "went_back": ("lane", "step", "seat"),
        "leaves": ("seat",),
        "came_back": ("seats",),
        "behind": ("lane", "step"),
        "fault": ("code", "text", "seat", "player", "lane", "step"),
        "missed": ("count",),
        "saved": ("file", "bytes"),
        "staying": ("seats", "seconds"),
        "ended": ("code", "reason"),
    }
)
"""Every kind of line with its fields; all lines have ``event`` and ``t`` before them."""


class Lines:
    """Writes lines, each at once. ``t`` counts seconds since this was made."""

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._clock = clock
        self._start = clock()

    def emit(self, kind: str, /, **fields: object) -> None:
        """One line; raises ValueError for a kind or fields that SHAPES does not have."""
        if kind not in SHAPES or set(SHAPES[kind]) != set(fields):
            raise ValueError(f"no line {kind} with {sorted(fields)}")
        seconds = round(self._clock() - self._start, 3)
        line = {"event": kind, "t": seconds, **{name: fields[name] for name in SHAPES[kind]}}
        self._write(json.dumps(line, default=plain, separators=(",", ":")))


def plain(value: object) -> object:
    """What JSON has no form for: bytes become hex, a value an object of its fields."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"no JSON for {type(value).__name__}")


def print_line(line: str) -> None:
    """Prints a line for a program that waits for it."""
    print(line, flush=True)
