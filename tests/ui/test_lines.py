"""Every line that a headless peer prints is documented, with its fields, and is real JSON."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from engine import game
from p2p import events as p2p
from p2p.transport import Address
from protocol import events as table
from protocol.errors import PeerFault
from protocol.events import Event, YourMove
from ui import bot, lines, moves, telling
from ui.lines import SHAPES, Lines

DOCUMENT = Path(__file__).parents[2] / "docs" / "bot-events.md"


def sections() -> dict[str, str]:
    """The documented kinds with their text."""
    text = DOCUMENT.read_text(encoding="utf-8")
    parts = re.split(r"^#{2,3} (.+)$", text, flags=re.MULTILINE)[1:]
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    return {heading: body for heading, body in found.items() if re.fullmatch("[a-z_]+", heading)}


def test_every_kind_is_documented_and_every_documented_kind_exists() -> None:
    """In the same order, so that both can be read side by side."""
    assert list(sections()) == list(SHAPES)


@pytest.mark.parametrize("kind", SHAPES)
def test_every_field_is_documented(kind: str) -> None:
    """By its name, in code type."""
    for field in SHAPES[kind]:
        assert f"`{field}`" in sections()[kind], field


def test_every_kind_is_printed_somewhere() -> None:
    """A kind that nothing prints is a promise that nobody keeps."""
    source = "".join(inspect.getsource(module) for module in (bot, moves, telling))
    printed = re.findall(r'emit\(\s*"([a-z_]+)"', source)
    assert set(printed) == set(SHAPES)


def test_a_line_that_is_not_declared_is_refused() -> None:
    """So what is documented is all there is, and always there."""
    for kind, fields in (("hello", {}), ("peer_lost", {}), ("peer_lost", {"short": "", "x": 1})):
        with pytest.raises(ValueError, match="no line"):
            Lines(print).emit(kind, **fields)


def printed(event: p2p.PeerEvent) -> dict[str, object]:
    """The line of an event, read back."""
    out: list[str] = []
    me = telling.me("Anna", b"\1" * 32, "ABCDEFGH", Path("data"))
    telling.tell(Lines(out.append), event, me)
    (line,) = out
    assert "\n" not in line
    assert line.isascii()
    found: dict[str, object] = json.loads(line)
    assert list(found) == ["event", "t", *SHAPES[str(found["event"])]]
    return found


PEER = p2p.PlayerInfo(b"\1" * 32, "Änna", "ABCDEFGH", "OWNEROWN")

SAMPLES: list[p2p.PeerEvent] = [
    p2p.Listening((Address("::1", 5),), 5),
    p2p.DiscoveryOff("no multicast"),
    p2p.PeerFound(
        "ABCDEFGH",
        "Ben",
        b"\2" * 32,
        (Address("1.2.3.4", 5),),
        "mdns",
        (p2p.TableOffer("kitchen", "hazari", 1, 4, b"\2" * 32),),
    ),
    p2p.PeerLost("ABCDEFGH"),
    p2p.TableSeen("kitchen", "hazari", 1, 4, "ABCDEFGH"),
    p2p.Linked(b"\2" * 32, "Ben", "ABCDEFGH", Address("1.2.3.4", 5), "incoming"),
    p2p.Unlinked(b"\2" * 32, "Ben", "ABCDEFGH", "gone"),
    p2p.NewKeyForName("Ben", "ABCDEFGH", ("HGFEDCBA",)),
    p2p.Refused("full", "all seats are taken"),
    p2p.LobbyChanged("kitchen", "hazari", (("hands", 2), ("hints", "on")), 4, (PEER,)),
    p2p.Agreed(b"\3" * 32, 0, (PEER,), ("one", "two"), "kitchen", "hazari", (("hands", 2),)),
    p2p.Resumed(b"\3" * 32, 0, (PEER,), ("one", "two"), "kitchen", "hazari", (("hands", 2),)),
    p2p.ChatSaid(b"\1" * 32, "Änna", "ABCDEFGH", "hällo", False),
    p2p.FaultSeen(PeerFault("proof.shuffle", "a false proof", 1, 2, 3), "Ben"),
    p2p.FaultSeen(PeerFault("frame", "no frame"), ""),
    p2p.SessionTold(table.Stopped((1,), "left", "seat 1 has left")),
    p2p.SessionTold(table.SitSaid(((0, "in"), (1, "leave"), (2, "out")))),
    p2p.SessionTold(table.Overdue(0, 3, "move", (1, 2), 10.0)),
    p2p.SessionTold(table.Left()),
    p2p.SessionTold(table.VoteUnderWay(0, 3, 1, 1, 0, 2)),
    p2p.SessionTold(table.DeclaredGone(0, 3, 1, (0, 2))),
    p2p.SessionTold(table.WentBack(0, 3, 1)),
    p2p.SessionTold(table.Leaves(2)),
    p2p.SessionTold(table.CameBack((1,))),
    p2p.SessionTold(table.Behind(0, 3)),
    p2p.Watching(b"\3" * 32, (PEER,), ("one", "two"), "kitchen", "hazari", (("hands", 2),)),
    p2p.SpectatorsChanged((PEER,)),
    p2p.TablesTold("ABCDEFGH", b"\2" * 32, (p2p.TableOffer("kitchen", "azi", 1, 4, b"\2" * 32),)),
    p2p.Missed(7),
    p2p.Looking("kitchen", ("Ben", "Cleo"), 10.0),
    p2p.LookedInVain("kitchen"),
]


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_what_the_peer_tells_becomes_a_line(event: p2p.PeerEvent) -> None:
    """One line of JSON with just the declared fields."""
    printed(event)


def test_no_event_was_forgotten(events: list[Event]) -> None:
    """Samples and a played match together have every kind of event that there is."""
    seen = {type(event) for event in SAMPLES} | {
        type(event.event) for event in SAMPLES if isinstance(event, p2p.SessionTold)
    }
    seen |= {type(event) for event in events}
    seen.add(p2p.ShortMade)  # for a page alone: without one nobody vouches for a key
    assert seen == set(get_args(p2p.PeerEvent)) | set(get_args(table.Event))


def test_values_are_what_the_document_says() -> None:
    """Addresses as texts, keys as hex, options as an object, people as objects."""
    assert printed(SAMPLES[0])["addresses"] == ["[::1]:5"]
    assert printed(SAMPLES[0])["key"] == "01" * 32
    assert printed(SAMPLES[2])["tables"] == [
        {
            "table": "kitchen",
            "game": "hazari",
            "taken": 1,
            "seats": 4,
            "opener": "02" * 32,
            "origin": "",
        }
    ]
    assert printed(SAMPLES[9])["options"] == {"hands": 2, "hints": "on"}
    assert printed(SAMPLES[10])["players"] == [
        {
            "key": "01" * 32,
            "name": "Änna",
            "short": "ABCDEFGH",
            "owner": "OWNEROWN",
            "ready": False,
        }
    ]
    assert printed(SAMPLES[10])["code"] == ["one", "two"]
    assert printed(SAMPLES[10])["options"] == {"hands": 2}
    assert printed(SAMPLES[14])["seat"] is None


def test_a_whole_match_can_be_told(events: list[Event]) -> None:
    """Every event of a real match, in order, from the first step to the end."""
    kinds = [printed(p2p.SessionTold(event))["event"] for event in events]
    assert kinds[0] == "step"
    assert kinds[-1] == "match_over"
    assert kinds.count("your_move") == 1
    assert kinds.count("proof_checked") >= 3


def test_a_view_has_all_fields_that_the_document_lists(your_move: YourMove) -> None:
    """The view of Hazari is described field by field."""
    view = printed(p2p.SessionTold(your_move))["view"]
    assert isinstance(view, dict)
    for field in view:
        assert f"`{field}`" in sections()["view"], field
    assert view["owes"] == "up"
    assert view["hand"] == [list(pair) for pair in your_move.view.hand]


def test_your_move_says_what_may_be_done(your_move: YourMove) -> None:
    """The choices of the rules, with their form where they cannot be listed."""
    choices = printed(p2p.SessionTold(your_move))["choices"]
    legal = game("hazari").legal(your_move.view)
    assert choices == [
        {
            "kind": one.kind,
            "text": one.text,
            "moves": list(one.moves),
            "form": one.form,
            "amount": one.amount,
        }
        for one in legal
    ]


def test_what_has_no_json_is_an_error_of_ours() -> None:
    """It does not slip out as a text that nobody can read."""
    with pytest.raises(TypeError, match="no JSON for object"):
        Lines(print).emit("peer_lost", short=object())


def test_time_counts_from_the_start() -> None:
    """In seconds, to the millisecond."""
    now = [100.0]
    out: list[str] = []
    writer = lines.Lines(out.append, lambda: now[0])
    now[0] = 101.23456
    writer.emit("stdin_closed")
    assert json.loads(out[0]) == {"event": "stdin_closed", "t": 1.235}
