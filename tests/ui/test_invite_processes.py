"""Whole processes at an invite table: its code is printed, read, and opens it; bots name owners."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.words import WORDS
from tests.ui.processes import bot, finished, running
from ui import exits

pytestmark = pytest.mark.slow


def test_a_bot_joins_an_invite_table_by_its_code(tmp_path: Path) -> None:
    """All see the same terms and the same code; who has no code is refused."""
    more = ("--open", "--invite", "--table", "secret", "--game", "azi", "--seats", "2")
    with running(bot(tmp_path, "Anna", *more, "--option", "hands=1")) as [anna]:
        listening = anna.event("listening")
        codes = anna.event("invites")["codes"]
        assert isinstance(codes, list)
        (code,) = codes
        address = f"127.0.0.1:{listening['port']}"
        own = ("--no-discovery", "--data", str(tmp_path / "Cleo"))
        stranger = finished("bot", "--name", "Cleo", "--join", address, *own)
        assert stranger.returncode == exits.REFUSED
        key = str(listening["key"])
        typed = str(code).lower().replace("-", " ")
        with running(bot(tmp_path, "Ben", "--join", typed, "--owner", key)) as [ben]:
            for process in (anna, ben):
                agreed = process.event("agreed")
                assert (agreed["table"], agreed["game"]) == ("secret", "azi")
                words = agreed["code"]
                assert isinstance(words, list)
                assert len(words) == 4
                assert set(words) <= set(WORDS)
                players = agreed["players"]
                assert isinstance(players, list)
                owners = {player["name"]: player["owner"] for player in players}
                assert owners == {"Anna": listening["short"], "Ben": listening["short"]}
                assert process.event("ended")["code"] == exits.DONE
