"""What windows are shown, as sections by name, and what has changed since they were last told."""

from __future__ import annotations

from collections.abc import Callable

LOG = 300
"""Lines of the log that are kept."""

Happened = dict[str, object]


class Sections:
    """The sections, as values that ``ui.lines.plain`` turns into JSON. docs/page.md explains each.

    ``changed``: names of sections that differ since they were last taken; ``happened``: events in
    order since then. ``wall``: seconds of Unix time. ``count`` numbers lines of log and chat.
    """

    def __init__(self, wall: Callable[[], float]) -> None:
        self.sections: dict[str, object] = {}
        self.changed: set[str] = set()
        self.happened: list[Happened] = []
        self.count = 0
        self.wall = wall

    def put(self, section: str, value: object) -> None:
        """Sets a section; it counts as changed if it differs."""
        if section not in self.sections or self.sections[section] != value:
            self.sections[section] = value
            self.changed.add(section)

    def update(self, section: str, **fields: object) -> None:
        """Changes fields of a section that is an object."""
        held = self.sections[section]
        assert isinstance(held, dict)
        self.put(section, {**held, **fields})

    def tell(self, kind: str, **fields: object) -> None:
        """Something happened: an event for every window, not kept."""
        self.happened.append({"kind": kind, **fields})

    def log(self, kind: str, **fields: object) -> None:
        """Something happened that belongs into the log."""
        self.count += 1
        line = {"n": self.count, "at": int(self.wall()), "kind": kind, **fields}
        self.happened.append(line)
        held = self.sections["log"]
        assert isinstance(held, list)
        # Windows add what happened to the log that they have: it is not sent again and again.
        self.sections["log"] = [*held[-LOG + 1 :], line]
