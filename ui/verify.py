"""``facedown verify``: judges a record, says what was checked, and names the first fault."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from protocol.agreement import Agreement, read_agreement, table_code
from protocol.errors import PeerFault
from protocol.going_on import Held, continuation
from protocol.record import read_objects
from protocol.verifier import CheckedStep, Counts, Report, Verdict, verify
from ui import exits
from ui.exits import Exit
from ui.lines import plain
from ui.steps import Walk, fault_line
from ui.wording import count, listed, named, often, pairs, shown, standing

OF_THE_FILE = frozenset({"encoding", "record.end", "record.order", "signature", "turn"})
"""Faults that whoever has a copy of the file can bring about."""

CHANGED = (
    "That can come of a file that was damaged or changed, and is no proof against that player: "
    "compare it with another player's copy"
)

MOST_BYTES = 256 * 1024 * 1024
"""A longer file is no record: a match of a thousand hands has a tenth of it."""

CODES: dict[Verdict, int] = {
    "complete": exits.DONE,
    "so far": exits.SO_FAR,
    "unsound": exits.UNSOUND,
    "unreadable": exits.USAGE,
}
"""The exit code of each verdict."""

WORDS: dict[Verdict, str] = {
    "complete": "sound and complete",
    "so far": "sound as far as it goes",
    "unsound": "not sound",
    "unreadable": "not readable",
}
"""Each verdict in the middle of a sentence."""

LINKS: dict[Held, str] = {
    "holds": "GOES ON AS IT MAY",
    "open": "NOT KNOWN WHETHER IT GOES ON",
    "false": "DOES NOT GO ON",
}
"""How it is told whether a record follows another one."""

LINK_CODES: dict[Held, int] = {
    "holds": exits.DONE,
    "open": exits.SO_FAR,
    "false": exits.UNSOUND,
}

STANDING: dict[Verdict, str] = {
    "complete": "{} at the end",
    "so far": "{} as far as the record goes",
}
"""How the last standing of a record is called; braces for its name."""


def run(files: Sequence[str], as_json: bool, brief: bool) -> int:
    """The command: verifies files (``-``: stdin), each of which goes on from the one before it.

    Returns the exit code: the first that is not 0, that of unsound records before all others.
    """
    codes: list[int] = []
    before: Report | None = None
    for file in files:
        data = read(file)
        if as_json:
            began = time.perf_counter()
            report = verify(data)
            told = as_object(report, time.perf_counter() - began)
            held, clause = (None, "") if before is None else link(before, report)
            told |= {"goes_on": held, "goes_on_text": clause}
            print(json.dumps(told, default=plain))
        else:
            report = tell(data, print, brief=brief)
        codes.append(CODES[report.verdict])
        if before is not None:
            follows, clause = link(before, report)
            if not as_json:
                print(f"{LINKS[follows]}: this table {clause}")
                if follows != "holds" and link(report, before)[0] == "holds":
                    print("the other way round it does: name the record of the table before first")
            codes.append(LINK_CODES[follows])
        before = report
    if exits.UNSOUND in codes:
        return exits.UNSOUND
    return next((code for code in codes if code != exits.DONE), exits.DONE)


def link(before: Report, after: Report) -> tuple[Held, str]:
    """Whether the table of a record goes on from that of another one, and a clause about it."""
    if before.table is None or after.agreement is None:
        return "open", "cannot be compared: one of the records is not sound"
    return continuation(before.table, after.agreement)


def read(file: str) -> bytes:
    """The bytes of a record file; raises Exit for one that cannot be read."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(file).open("rb") as source:
                data = source.read(MOST_BYTES + 1)
    except OSError as error:
        raise Exit(exits.USAGE, f"{file} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise Exit(exits.USAGE, f"{file!r} cannot be the name of a file.") from None
    if len(data) > MOST_BYTES:
        raise Exit(exits.USAGE, f"{file} is too long to be a record.")
    return data


def tell(data: bytes, say: Callable[[str], None], *, brief: bool = False) -> Report:
    """Verifies a record and says what was checked, line by line, and the verdict at the end."""
    began = time.perf_counter()
    agreement = _agreement(data)
    if agreement is not None:
        _open(agreement, say)
        for line in beginning(agreement):
            say(line)
        if not brief:
            say(f"options: {_options(agreement)}")
    names = _names(agreement)
    walk = Walk(names, _pack(agreement))

    def progress(step: CheckedStep) -> None:
        say(walk.line(step))
        for sentence in step.story:
            say(f"    {named(sentence, names)}")

    report = verify(data, None if brief else progress)
    if report.agreement is not None:
        if not brief:
            label = STANDING.get(report.verdict, "{}")
            for line in standing(pairs(report.standing), names, label):
                say(line)
        for line in absences(report.steps, names):
            say(line)
        say(f"checked: {_counts(report.counts)} in {time.perf_counter() - began:.1f} s")
    say(verdict_line(report))
    return report


def beginning(agreement: Agreement) -> list[str]:
    """What a table that goes on from another one begins with, by the word of its players."""
    origin = agreement.roster.origin
    if origin is None:
        return []
    names = _names(agreement)
    new = [name for seat, name in enumerate(names) if agreement.keys[seat] != origin.keys[seat]]
    code = " ".join(table_code(origin.table))
    return [
        f"goes on from table {code} with hand {origin.hand}; new at the table: {listed(new)}",
        *standing(pairs(origin.standing), names, "{} that it begins with"),
        "these are as its players signed them; the record of the table before shows whether they "
        "are so: facedown verify BEFORE THIS",
    ]


def verdict_line(report: Report) -> str:
    """The verdict in one line."""
    players = _names(report.agreement)
    if report.verdict == "unreadable":
        why = f": {report.fault.text}" if report.fault else ""
        return f"NOT READABLE{why}"
    if report.fault is not None:
        wrong = f"NOT SOUND: {fault_line(report.fault, players)}"
        if report.caught and report.besides is None:
            return f"{wrong}. All else is sound: the others played on by the rules"
        if report.fault.code in OF_THE_FILE:
            return f"{wrong}. {CHANGED}"
        return wrong
    if report.verdict == "complete":
        ending = f": {named(report.end.text, players)}" if report.end else ": the table stopped"
        return f"SOUND AND COMPLETE{ending}"
    hands = count(report.counts.hands, "hand")
    return f"SOUND AS FAR AS IT GOES: {hands} finished, the end of the match is not in it"


def absences(steps: Sequence[CheckedStep], players: Sequence[str]) -> list[str]:
    """Who was declared gone how often, a line for each; nothing was proved against them by that."""
    times = Counter(seat for step in steps for seat, _ in step.absent)
    return [
        f"declared gone by the others, silent: {players[seat]}, {often(number)}"
        for seat, number in sorted(times.items())
    ]


def as_object(report: Report, seconds: float) -> dict[str, object]:
    """The report as one JSON object."""
    agreement = report.agreement
    table: dict[str, object] | None = None
    if agreement is not None:
        table = {
            "id": agreement.table_id.hex(),
            "name": agreement.roster.table,
            "game": agreement.roster.game,
            "options": dict(agreement.roster.options),
            "origin": agreement.roster.origin,
            "players": [
                {"seat": seat, "name": player.name, "key": player.key.hex()}
                for seat, player in enumerate(agreement.players)
            ],
        }
    players: Sequence[str] = _names(report.agreement)
    return {
        "verdict": report.verdict,
        "code": CODES[report.verdict],
        "text": verdict_line(report),
        "table": table,
        "counts": {name: getattr(report.counts, name) for name in Counts.__slots__},
        "steps": [_step(step) for step in report.steps],
        "fault": _fault(report.fault, players),
        "caught": [_fault(fault, players) for fault in report.caught],
        "besides": _fault(report.besides, players),
        "end": report.end,
        "standing": report.standing,
        "seconds": round(seconds, 3),
    }


def _step(step: CheckedStep) -> dict[str, object]:
    """A step with its details beside the rest."""
    names = [name for name in CheckedStep.__slots__ if name != "details"]
    more = step.details
    return {
        **{name: getattr(step, name) for name in names},
        **{name: getattr(more, name) for name in type(more).__slots__},
    }


def _fault(fault: PeerFault | None, players: Sequence[str]) -> dict[str, object] | None:
    if fault is None:
        return None
    return {
        "code": fault.code,
        "text": fault.text,
        "seat": fault.seat,
        "player": players[fault.seat] if fault.seat is not None and players else None,
        "lane": fault.lane,
        "step": fault.step,
    }


def _options(agreement: Agreement) -> str:
    """All options as they can be given to ``--option``."""
    return ", ".join(f"{name}={value}" for name, value in agreement.options.items())


def _pack(agreement: Agreement | None) -> Sequence[str]:
    return () if agreement is None else agreement.game.pack(agreement.options)


def _agreement(data: bytes) -> Agreement | None:
    """What the record begins with, if it can be read, to name people while the rest is checked."""
    try:
        return read_agreement(next(read_objects(data), b""))
    except PeerFault:
        return None


def _names(agreement: Agreement | None) -> list[str]:
    """The players' names by seat; none without an agreement."""
    return [] if agreement is None else [shown(player.name) for player in agreement.players]


def _open(agreement: Agreement, say: Callable[[str], None]) -> None:
    say(f'the record of table "{shown(agreement.roster.table)}": {agreement.game.title}')
    people = ", ".join(
        f"{shown(player.name)} (seat {seat}{', a bot' if player.owner else ''})"
        for seat, player in enumerate(agreement.players)
    )
    say(f"agreement: signed by {people}")


def _counts(counts: Counts) -> str:
    return ", ".join(
        (
            count(counts.hands, "hand"),
            count(counts.packs, "pack"),
            count(counts.entries, "entry", "entries"),
            count(counts.signatures, "signature"),
            f"{count(counts.proofs, 'proof')} of {count(counts.equations, 'equation')}",
        )
    )
