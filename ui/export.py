"""``facedown export``: which tables there are in a data folder, and the record of one as a file."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import trio

from p2p.database import FILE_NAME, NO_SEAT, StoredTable
from p2p.store import open_store
from protocol.agreement import read_agreement
from protocol.errors import PeerFault
from ui import exits, saving
from ui.exits import Exit
from ui.wording import count, listed, shown

ID_DIGITS = 8
"""Of a table's id, in hexadecimal: enough to tell the tables of one folder apart."""


@dataclass(frozen=True, slots=True)
class Row:
    """A table, as people see it."""

    table: bytes
    name: str
    line: str

    def is_meant(self, which: str | None) -> bool:
        """Whether it has this name or an id that begins like this; None: any."""
        return which in (None, self.name) or self.table.hex().startswith((which or "").lower())


def run(folder: Path, file: Path | None, which: str | None) -> int:
    """The command: lists the tables, or saves the newest of those that are meant."""
    if not (folder / FILE_NAME).exists():
        raise Exit(exits.USAGE, f"nothing was ever played with the data folder {folder}.")
    rows, record = trio.run(_look, folder, file is not None, which)
    if file is None:
        for row in rows:
            print(row.line)
        return exits.DONE
    saving.save(file, record)
    print(f"{file}: {count(len(record), 'byte')}: {rows[0].line}")
    return exits.DONE


async def _look(folder: Path, whole: bool, which: str | None) -> tuple[list[Row], bytes]:
    """The tables that are meant, the newest first, and if need be the record of the first."""
    async with open_store(folder) as store:
        rows = [row for row in map(_row, await store.tables()) if row.is_meant(which)]
        if not rows:
            named = "" if which is None else f" that is called {which!r}, or has such an id"
            raise Exit(exits.USAGE, f"there is no table in {folder}{named}.")
        return rows, await store.record(rows[0].table) if whole else b""


def _row(stored: StoredTable) -> Row:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(stored.opened))
    start = f"{when}  {stored.table.hex()[:ID_DIGITS]}"
    state = "over" if stored.finished else "not over"
    looked = ", looked on" if stored.seat == NO_SEAT else ""
    try:
        agreement = read_agreement(stored.sealed)
    except PeerFault:
        return Row(stored.table, "", f"{start}  a table of another version, {state}{looked}")
    name = agreement.roster.table
    who = listed([shown(player.name) for player in agreement.players])
    what = f'"{shown(name)}": {agreement.game.title} with {who}'
    return Row(stored.table, name, f"{start}  {what}, {state}{looked}")
