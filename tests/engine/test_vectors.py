"""Rule cases from files: ``vectors/GAME.json``, or any directory given with ``--vectors``.

A file is one object; each of its kinds is a list of cases with an ``id`` and an ``expect``. The
functions that answer them are in ``cases_GAME.py``. ``GAME_more.json`` has more cases of a game.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from engine import game_names

OWN = Path(__file__).parent / "vectors"


def load(directory: Path) -> list[tuple[str, str, dict[str, object]]]:
    """All cases as (game, kind, case); raises UsageError where there are none."""
    files = sorted(directory.glob("*.json"))
    if not files:
        raise pytest.UsageError(f"no rule cases (*.json) in {directory}")
    return [
        (path.stem.partition("_")[0], kind, case)
        for path in files
        for kind, cases in json.loads(path.read_text(encoding="utf-8")).items()
        for case in cases
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the directory."""
    if "rule_case" in metafunc.fixturenames:
        given = metafunc.config.getoption("--vectors")
        cases = load(Path(given) if given else OWN)
        names = [f"{game}-{kind}-{case['id']}" for game, kind, case in cases]
        metafunc.parametrize("rule_case", cases, ids=names)


def test_the_rules_answer_a_case_as_expected(
    rule_case: tuple[str, str, dict[str, object]],
) -> None:
    """Every case of a game that exists is answered; an unknown kind of case is a failure."""
    game, kind, case = rule_case
    if game not in game_names():
        pytest.skip(f"there is no game {game!r} yet")
    kinds = importlib.import_module(f"tests.engine.cases_{game}").KINDS
    assert kind in kinds, f"unknown kind of case: {kind}"
    assert kinds[kind](case) == case["expect"]


def test_a_directory_without_cases_is_an_error(tmp_path: Path) -> None:
    """A mistyped directory never counts as "all cases pass"."""
    with pytest.raises(pytest.UsageError, match="no rule cases"):
        load(tmp_path)


@pytest.mark.parametrize("game", game_names())
def test_own_cases_hold_every_kind_that_can_be_answered(game: str) -> None:
    """No answering function is without a case, so none is silently wrong."""
    kinds = importlib.import_module(f"tests.engine.cases_{game}").KINDS
    assert {kind for name, kind, _ in load(OWN) if name == game} == set(kinds)


def test_no_two_own_cases_have_one_name() -> None:
    """Else one of them would hide behind the other in a report."""
    names = [(game, kind, case["id"]) for game, kind, case in load(OWN)]
    assert len(names) == len(set(names))
