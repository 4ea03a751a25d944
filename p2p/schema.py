"""The format of the data file, and how a file of an older format becomes one of this. SPEC 11.9."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from p2p.trouble import Trouble

SCHEMA_VERSION = 3
"""2 since there are votes: a program without them could take a table up again where it has been
overtaken by what the others have settled. 3 since agreements that were signed are kept whole, and
tables know their lobby: a program without that would not come back to a seat that it has taken."""

_FIRST = """
CREATE TABLE tables (
    id BLOB PRIMARY KEY,
    sealed BLOB NOT NULL,
    seat INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    table_id BLOB NOT NULL REFERENCES tables (id),
    lane INTEGER NOT NULL,
    step INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    envelope BLOB NOT NULL,
    UNIQUE (table_id, lane, step, seat, envelope)
);
CREATE TABLE secrets (
    table_id BLOB NOT NULL REFERENCES tables (id),
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (table_id, name)
) WITHOUT ROWID;
CREATE TABLE peers (
    key BLOB PRIMARY KEY,
    name TEXT NOT NULL,
    addresses BLOB NOT NULL
) WITHOUT ROWID;
"""

_SINCE_1 = """
CREATE TABLE IF NOT EXISTS stamp (only INTEGER PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE votes (
    number INTEGER PRIMARY KEY,
    after INTEGER NOT NULL,
    table_id BLOB NOT NULL REFERENCES tables (id),
    lane INTEGER NOT NULL,
    step INTEGER NOT NULL,
    about INTEGER NOT NULL,
    vote BLOB NOT NULL,
    UNIQUE (table_id, vote)
);
CREATE INDEX votes_by_place ON votes (table_id, lane, step);
CREATE INDEX votes_as_written ON votes (table_id, after);
CREATE INDEX entries_as_written ON entries (table_id);
"""
"""What files of format 1 lack; some have a stamp. ``after`` is the greatest number that an entry
had when the vote was written, so that both can be read back in the order of writing."""


_PROMISED = """
CREATE TABLE IF NOT EXISTS promised (
    number INTEGER PRIMARY KEY,
    lobby BLOB NOT NULL,
    list INTEGER NOT NULL,
    signed BLOB NOT NULL,
    UNIQUE (lobby, list)
);
"""
"""What was said in lobbies that binds this player: for which lists it has committed to a nonce, and
which agreements it has signed, until it sits down. Some files of format 2 have it."""

_SINCE_2 = """
ALTER TABLE tables ADD COLUMN lobby BLOB NOT NULL DEFAULT x'';
ALTER TABLE promised ADD COLUMN body BLOB NOT NULL DEFAULT x'';
ALTER TABLE promised ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
ALTER TABLE promised ADD COLUMN members BLOB NOT NULL DEFAULT x'';
ALTER TABLE promised ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
"""
"""``lobby``: that of a table at which everybody may look on; else empty."""


def prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    """Makes the tables, or what an older file lacks of them, all or nothing.

    Raises Trouble ``data-newer`` for a format that is not known here.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in range(SCHEMA_VERSION + 1):
        raise Trouble(
            "data-newer",
            f"The data file {path} was written by another version of Facedown "
            f"(format {version}, this one reads {SCHEMA_VERSION}).",
        )
    lacking = (_FIRST, _SINCE_1, _PROMISED + _SINCE_2)[version:]
    if lacking:
        connection.executescript(
            f"BEGIN; {' '.join(lacking)} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )
