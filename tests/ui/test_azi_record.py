"""``facedown verify`` on records of Azi: blind bids, claims, stories, stacks, in words and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import Move, View, game
from protocol.events import YourMove
from tests.protocol.once import computed_once
from tests.protocol.tables import Table, make_table
from ui import cli, exits, verify
from ui.lines import Lines
from ui.telling import ask

SECTION = re.compile(r"^### view$(.*?)^### ", re.MULTILINE | re.DOTALL)


def choose(view: View, *kinds: str) -> Move:
    """The first of these kinds of choice that may be made, with its least amount."""
    choices = {one.kind: one for one in game("azi").legal(view)}
    kind = next(kind for kind in kinds if kind in choices)
    one = choices[kind]
    return (kind, one.amount[0]) if one.amount is not None else one.moves[0]


def bold(seat: int, view: View) -> Move:
    """Opens, levels, and never looks before it must."""
    return choose(view, "level", "bid", "play", "discard", "pass")


def finished(
    seed: object, play: Callable[[int, View], Move], seats: int = 3, **options: int | str
) -> Table:
    """A match of Azi that is over."""
    table = make_table(seed, "azi", options, seats)
    table.play = play
    with computed_once():
        table.begin()
        table.deliver()
    assert table.seats[0].session.over
    return table


@pytest.fixture(scope="session")
def blind() -> Table:
    """Three games with blind bids: who has the lead last looks and folds, the others never look."""

    def choice(seat: int, view: View) -> Move:
        if seat == 2 and view.owes == "bid":
            return choose(view, "look", "fold", "bid")
        return bold(seat, view)

    return finished("blind", choice, blind="on", hands=3, max_bid=20)


def lines_of(data: bytes) -> list[str]:
    """What ``facedown verify`` says."""
    lines: list[str] = []
    verify.tell(data, lines.append)
    return lines


def test_options_and_stacks_are_told(blind: Table) -> None:
    """All options as they can be given, the stacks of all players, all chips among them."""
    lines = lines_of(blind.record(0))
    assert "blind=on, hands=3, turn_seconds=30" in lines[2]
    assert lines[-1].startswith("SOUND AND COMPLETE: player ")
    stacks = re.fullmatch(r"stacks at the end: (.+)", lines[-3])
    assert stacks
    assert sum(map(int, re.findall(r" (\d+)(?:,|$)", stacks[1]))) == 3000


def test_a_blind_bid_is_shown_to_be_one(blind: Table) -> None:
    """By the steps: no share was out that it takes to see a card. Who looked is not blind."""
    lines = lines_of(blind.record(0))
    chose = [line for line in lines if "chose" in line]
    blind_ones = [line for line in chose if "(blind: too few shares were out" in line]
    assert any(re.search(r"chose, as the rules allow: bid 10 \(blind", line) for line in blind_ones)
    assert any(": level (blind" in line for line in blind_ones)
    assert not any(": look (blind" in line or "allow: play" in line for line in blind_ones)
    assert any("bid 10 blind" in line for line in lines if line.startswith("    "))
    looker = blind.agreement.players[2].name
    own = [line for line in chose if f" {looker} chose" in line and ": look" not in line]
    assert own
    assert not set(own) & set(blind_ones)


def test_who_folds_blind_leaves_its_shares() -> None:
    """Of the cards of those who are still in and have not looked."""
    table = finished("folds", lambda seat, view: choose(view, "fold", "bid", "play"), blind="on",
                     hands=1)  # fmt: skip
    assert any(
        "fold (blind: too few shares were out for this seat to see a card), and gave its shares of "
        "6 cards of others; 1 proof holds" in line
        for line in lines_of(table.record(0))
    )


def test_who_does_not_follow_has_proved_it(blind: Table) -> None:
    """Which suits, of how many cards."""
    lines = lines_of(blind.record(0))
    proved = [line for line in lines if "and proved that" in line]
    assert proved
    for line in proved:
        assert re.search(
            r"chose, as the rules allow: play .., and proved that "
            r"(none of the 2 hidden cards left is|the hidden card left is not) "
            r"a (spade|heart|diamond)( or a (spade|heart|diamond))?; \d+ proofs hold$",
            line,
        ), line


def test_every_hand_is_told_after_its_result(blind: Table) -> None:
    """By name, once."""
    lines = lines_of(blind.record(0))
    ends = [at for at, line in enumerate(lines) if "confirmed the same result" in line]
    assert len(ends) == 3
    for number, at in enumerate(ends, start=1):
        assert lines[at].startswith(f"hand {number}, step ")
        assert re.match(r"    player \d, player \d and player \d were dealt in", lines[at + 1])
    assert "seat " not in "".join(line for line in lines if line.startswith("    "))
    assert any(line.startswith("before hand 2, step ") for line in lines)


def test_discards_are_counted_not_shown() -> None:
    """All at once, face down."""
    table = finished("four", bold, cards=4, hands=1, trump_from="dealers_last_card")
    lines = lines_of(table.record(0))
    assert any(line.endswith(": all 3 chose, as the rules allow (discard)") for line in lines)
    assert lines[-1].startswith("SOUND AND COMPLETE")


SEED_OF_AN_AZI = ("azi", 0)
"""With it the first game of four who all level is an azi."""

SEED_OF_A_TIE = ("tie", 10)
"""With it each of three takes a trick of the only game, and so a third of the bank."""


@pytest.mark.slow
def test_buying_in_is_told_between_hands() -> None:
    """Steps, and what came of them in the words of the game."""

    def choice(seat: int, view: View) -> Move:
        return choose(view, "buy", "level", "bid", "play")

    options: dict[str, int | str] = {"hands": 2, "azi_entry": "half_pot", "max_bid": 10}
    lines = lines_of(finished(SEED_OF_AN_AZI, choice, 4, **options).record(0))
    (at,) = [at for at, line in enumerate(lines) if "bought in" in line]
    step = r"before hand 2, step \d+: player \d chose, as the rules allow: buy"
    assert re.fullmatch(step, lines[at - 1])
    assert re.fullmatch(r"    player \d bought in for 40", lines[at])


def test_who_shares_the_win_is_named() -> None:
    """After an azi in the last game all have what they began with."""
    lines = lines_of(finished(SEED_OF_A_TIE, bold, hands=1, max_bid=10).record(0))
    win = r"SOUND AND COMPLETE: (player \d,? (and )?){3}win the match together .*: 1000 chips each"
    assert re.fullmatch(win, lines[-1]), lines[-1]


def test_json_has_moves_claims_and_blindness(
    blind: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything that the words say, for programs."""
    file = tmp_path / "x.facedown"
    file.write_bytes(blind.record(0))
    assert cli.run(["verify", "--json", str(file)]) == exits.DONE
    report = json.loads(capsys.readouterr().out)
    moves = [move for step in report["steps"] for move in step["moves"]]
    kinds = {move["move"][0] for move in moves}
    assert {"bid", "level", "look", "fold", "play"} <= kinds
    assert {move["blind"] for move in moves if move["move"][0] == "bid"} <= {True, False}
    assert any(move["blind"] and move["move"][0] in ("bid", "level") for move in moves)
    claims = [claim for move in moves for claim in move["claims"]]
    assert claims
    assert all(claim["slots"] and claim["forbidden"] for claim in claims)
    stories = [step["story"] for step in report["steps"] if step["kind"] == "result"]
    assert len(stories) == 3
    assert all(stories)
    sits = [step["sits"] for step in report["steps"] if step["kind"] == "sit"]
    assert sits == [[[0, "in"], [1, "in"], [2, "in"]]] * 2
    assert report["end"]["shared"] == []
    assert dict(report["standing"])["played"] == 3
    assert report["table"]["options"]["blind"] == "on"


@pytest.mark.slow
def test_who_sits_out_or_leaves_is_named() -> None:
    """At the step between hands; the next hand begins without them."""
    table = make_table("sits", "azi", {"hands": 4, "max_bid": 10, "ante": 0}, 4)
    table.play = bold
    table.seats[1].session.sit("out")
    table.seats[3].session.sit("leave")
    table.begin()
    table.deliver()
    lines = lines_of(table.record(0))
    names = [player.name for player in table.agreement.players]
    assert any(
        line.endswith(
            f": all 4 said whether they play on: {names[1]} sits out and {names[3]} leaves"
        )
        for line in lines
    )
    # Who sits out stands by what comes before the deal as well: it has a vote about it.
    stand = f": {names[0]}, {names[1]} and {names[2]} stand on"
    assert any(line.startswith("hand 2, step ") and stand in line for line in lines)
    assert lines[-1].startswith("SOUND AND COMPLETE")


@pytest.mark.slow
def test_the_record_of_a_leaver_is_sound_as_far_as_it_goes() -> None:
    """The others play on; what the leaver has is no less true."""
    table = make_table("leaver", "azi", {"hands": 3, "max_bid": 10, "ante": 0}, 3)
    table.play = bold
    table.seats[2].session.sit("leave")
    table.begin()
    table.deliver()
    lines = lines_of(table.record(2))
    assert lines[-1].startswith("SOUND AS FAR AS IT GOES: 1 hand finished")
    assert lines[-3].startswith("stacks as far as the record goes: ")
    assert lines_of(table.record(0))[-1].startswith("SOUND AND COMPLETE")


@pytest.fixture(scope="session")
def questions(blind: Table) -> list[YourMove]:
    """What seats were asked in that match."""
    return [event for seat in blind.seats for event in seat.events if isinstance(event, YourMove)]


def test_your_move_has_what_a_program_needs(questions: list[YourMove]) -> None:
    """Moves that can be listed, amounts with their limits; the hand only once it may be seen."""
    seen: set[str] = set()
    for event in questions:
        out: list[str] = []
        ask(Lines(out.append), event)
        line = json.loads(out[0])
        for choice in line["choices"]:
            seen.add(choice["kind"])
            if choice["kind"] == "bid":
                least, most, step = choice["amount"]
                assert (choice["moves"], choice["form"]) == ([], '["bid", total]')
                assert least % 2 == most % 2 == step % 2 == 0
                assert least <= most <= 20
            else:
                assert choice["amount"] is None
                assert all(move[0] == choice["kind"] for move in choice["moves"])
                assert choice["moves"]
        view = line["view"]
        looked = view["seat"] in view["looked"] or view["phase"] == "play"
        assert bool(view["hand"]) == looked
    assert seen == {"bid", "look", "level", "fold", "play"}


def test_a_view_of_azi_has_all_fields_that_the_document_lists(questions: list[YourMove]) -> None:
    """Field by field."""
    text = (Path(__file__).parents[2] / "docs" / "bot-events.md").read_text(encoding="utf-8")
    section = SECTION.search(text)
    assert section
    out: list[str] = []
    ask(Lines(out.append), questions[0])
    for field in json.loads(out[0])["view"]:
        assert f"`{field}`" in section[1], field
