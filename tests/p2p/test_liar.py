"""Three honest processes and one that doubles a card: it is named at once, and no share leaves."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from protocol.record import read_objects
from protocol.wire import unpack
from tests.ui.processes import Running, bot, running

NAMED_SECONDS = 2.0


def kinds(record: bytes) -> list[str]:
    """The kinds of the entries in a record file."""
    found = []
    for envelope in list(read_objects(record))[1:]:
        outer = unpack(envelope)
        assert isinstance(outer, tuple)
        assert isinstance(outer[0], bytes)
        body = unpack(outer[0])
        assert isinstance(body, tuple)
        found.append(str(body[6]))
    return found


@pytest.mark.alone
def test_a_doubled_card_is_named_within_two_seconds_and_no_share_leaves(tmp_path: Path) -> None:
    """All three name the same seat with the same code; none of their records holds a share."""
    once = ("--go-on", "0")  # nobody waits for a table without the liar
    opens = ("--open", "--table", "kitchen", "--seats", "4")
    with running(bot(tmp_path, "anna", *opens, *once)) as started:
        address = f"127.0.0.1:{started[0].event('listening')['port']}"
        names = ("bert", "carl", "loki")
        others = [bot(tmp_path, name, "--join", address, *once) for name in names]
        others[2] = ["tests.p2p.liar" if word == "ui" else word for word in others[2]]
        with running(*others) as joined:
            honest = [*started, *joined[:2]]
            clock = watch_agreement(honest)
            faults = [peer.event("fault") for peer in honest]
            assert time.monotonic() - clock < NAMED_SECONDS
            assert {fault["player"] for fault in faults} == {"loki"}
            assert {fault["code"] for fault in faults} == {"proof.shuffle"}
            assert [peer.wait() for peer in honest] == [4, 4, 4]
    for name in ("anna", "bert", "carl"):
        found = kinds((tmp_path / f"{name}.facedown").read_bytes())
        assert "prove" in found
        assert not {"shares", "ready", "move", "lock"} & set(found)


def watch_agreement(peers: list[Running]) -> float:
    """The time when all have said that the table is agreed: later than the lie could begin."""
    for peer in peers:
        assert json.loads(peer.until(lambda line: '"event":"agreed"' in line))
    return time.monotonic()
