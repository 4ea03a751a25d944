"""What must hold when a match is over, whatever was done to its peers."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from p2p.database import FILE_NAME, Database
from p2p.store import _record
from protocol.agreement import Agreement, read_agreement
from protocol.envelope import open_envelope
from protocol.votes import Vote, contradiction, open_word
from tests.protocol.absences import without_names
from tests.soak.member import Member
from tests.ui.processes import finished


def table_of(member: Member) -> bytes:
    """The id of the table that a member was at."""
    return bytes.fromhex(str(member.told("agreed", "resumed")[0]["table_id"]))


def record_of(member: Member) -> bytes:
    """Its record: the file that it has saved, or what its store has."""
    if member.record.exists():
        return member.record.read_bytes()
    database = Database(member.data / FILE_NAME)
    try:
        return _record(database, table_of(member))
    finally:
        database.close()


def judged(members: Sequence[Member], hands: int | None = None) -> list[str]:
    """All that is wrong with a match that is over; nothing: all is well."""
    wrong = [*_outputs(members)]
    tables = {table_of(member) for member in members if member.seated}
    if len(tables) != 1 or not all(member.seated for member in members):
        return [*wrong, f"the peers were at {len(tables)} tables"]
    records = {member.name: record_of(member) for member in members}
    for record in set(records.values()):
        names = [name for name, one in records.items() if one == record]
        wrong += _record_faults(members[0].folder, names, record, hands)
    if len({without_names(record) for record in records.values()}) != 1:
        sizes = {name: len(record) for name, record in records.items()}
        wrong.append(f"the records differ by more than who stands by an absence: {sizes}")
    wrong += _contradictions(members)
    return wrong


def _outputs(members: Iterable[Member]) -> Iterable[str]:
    ends: dict[str, list[str]] = {}
    hands: dict[tuple[object, str], list[str]] = {}
    quiet = not any(member.told("gone", "went_back") for member in members)
    for member in members:
        words = member.words()
        if "Traceback" in words or "a fault in Facedown itself" in words:
            yield f"{member.name}: a fault of the program: {words[-600:]}"
        for crash in member.data.glob("crash-*"):
            yield f"{member.name}: {crash}"
        for fault in member.told("fault"):
            yield f"{member.name} tells a fault: {json.dumps(fault)}"
        for stopped in member.told("stopped"):
            yield f"{member.name} tells that the table was stopped: {json.dumps(stopped)}"
        for line in member.told("match_over"):
            end = _plain(line, "winner", "shared", "rule", "standing")
            ends.setdefault(end, []).append(member.name)
        if quiet:
            for line in member.told("hand_over"):
                key = (line["hand"], _plain(line, "standing"))
                hands.setdefault(key, []).append(member.name)
    if len(ends) > 1:
        yield f"the match ended differently: {ends}"
    if len({hand for hand, _ in hands}) != len(hands):
        yield f"hands ended differently: {hands}"


def _plain(line: Any, *fields: str) -> str:
    return json.dumps([line[name] for name in fields], sort_keys=True)


def _record_faults(
    folder: Path, names: list[str], record: bytes, hands: int | None
) -> Iterable[str]:
    file = folder / f"verified.{names[0]}.facedown"
    file.write_bytes(record)
    try:
        done = finished("verify", "--json", str(file))
    except subprocess.TimeoutExpired:
        yield f"facedown verify does not end on {file}"
        return
    if done.returncode != 0:
        yield f"the record of {', '.join(names)} is not complete: {done.stdout[-300:]}{done.stderr}"
    elif hands is not None and json.loads(done.stdout)["counts"]["hands"] < hands:
        yield f"the record of {', '.join(names)} has {json.loads(done.stdout)['counts']}"


def _contradictions(members: Sequence[Member]) -> Iterable[str]:
    """What a seat has signed, in whosever store, that it must not have signed both."""
    bodies: dict[tuple[int, int, int, bytes], bytes] = {}
    votes: dict[tuple[int, int, bytes, int, int], list[Vote]] = {}
    for member in members:
        agreement, entries, words = _stored(member)
        for data in entries:
            one = open_envelope(data, agreement)
            place = (one.lane, one.step, one.seat, one.head)
            if bodies.setdefault(place, one.body_hash) != one.body_hash:
                yield f"seat {one.seat} signed two entries at {one.lane}/{one.step} ({one.kind})"
        for data in words:
            word = open_word(data, agreement)
            if isinstance(word, Vote):
                asked = word.question
                key = (asked.lane, asked.step, asked.head, asked.about, word.seat)
                known = votes.setdefault(key, [])
                for other in known:
                    if code := contradiction(word, other):
                        yield f"seat {word.seat} contradicts itself ({code}) at {key[:2]}"
                known.append(word)


def _stored(member: Member) -> tuple[Agreement, list[bytes], list[bytes]]:
    table = table_of(member)
    with sqlite3.connect(member.data / FILE_NAME) as store:
        ((sealed,),) = store.execute("SELECT sealed FROM tables WHERE id = ?", (table,))
        entries = store.execute("SELECT envelope FROM entries WHERE table_id = ?", (table,))
        votes = store.execute("SELECT vote FROM votes WHERE table_id = ?", (table,))
        found = [row[0] for row in entries], [row[0] for row in votes]
    store.close()
    return read_agreement(sealed), *found
