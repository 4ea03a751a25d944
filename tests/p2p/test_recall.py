"""Who was killed after it has signed comes back to its seat, whoever else was killed. SPEC 11.7."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from p2p import statements
from p2p.database import Pledge
from p2p.events import Agreed, LookedInVain, Looking, Refused
from p2p.messages import Message, Statement
from p2p.outputs import Completed
from p2p.recall import LOOK_SECONDS, PLEDGE_SECONDS, Recall, fresh
from p2p.statements import Commit, Here, Reveal, Said, Sign
from tests.p2p.lobby_deaths import NAMES, Death, Moment, Sat, played
from tests.protocol.tables import Table, make_table

LOBBY = b"l" * 16
NUMBER = 4


def pledged(table: Table, seat: int = 0) -> Pledge:
    """What a seat of a table has signed."""
    agreement = table.agreement
    members = tuple((key, ()) for place, key in enumerate(agreement.keys) if place != seat)
    return Pledge(LOBBY, NUMBER, agreement.table_id, agreement.body, True, members, 1_000)


class Memory:
    """The recall of one seat, and all that it posts."""

    def __init__(self, table: Table, seat: int = 0, *older: Pledge) -> None:
        self.posted: list[tuple[tuple[bytes, ...], Message]] = []
        self.agreement = table.agreement
        self.keys = table.keys
        counts = iter(range(1, 1000))
        pledges = [pledged(table, seat), *older]
        self.recall = Recall(pledges, table.keys[seat], lambda: next(counts), self._post)

    def _post(self, keys: Iterable[bytes], message: Message) -> None:
        self.posted.append((tuple(keys), message))

    def said(self) -> list[tuple[tuple[bytes, ...], Said]]:
        """What was said since the last question, and to whom."""
        said = [(k, statements.read(m).said) for k, m in self.posted if isinstance(m, Statement)]
        self.posted.clear()
        return said

    def sign(self, seat: int, number: int = NUMBER, lobby: bytes = LOBBY) -> Completed | None:
        """A seat signs, by its own link."""
        key = self.keys[seat]
        said = Sign(number, self.agreement.signature(key))
        heard = statements.make(key, lobby, 10 + seat, said)
        return self.recall.heard(heard.author, heard)


@pytest.mark.trio
async def test_the_others_are_asked_and_given_what_was_said_before() -> None:
    """Word for word, or it were a lie. At link-up, and when one says that it is at the table; and
    nobody else, nor the own key.
    """
    memory = Memory(make_table())
    own, other = memory.agreement.keys[:2]
    roster = memory.agreement.roster
    nonce = memory.agreement.nonces[roster.index(own)]
    rounds = [
        Commit(NUMBER, roster.commitment(own, nonce)),
        Reveal(NUMBER, nonce),
        Sign(NUMBER, memory.agreement.signature(memory.keys[0])),
    ]
    memory.recall.linked(other)
    assert memory.said() == [((other,), said) for said in (Here(True), *rounds)]
    memory.recall.named(other, memory.agreement.table_id)
    assert memory.said() == [((other,), Here(True))]
    memory.recall.named(other, b"o" * 32)
    memory.recall.linked(own)
    memory.recall.linked(b"e" * 32)
    assert memory.said() == []


@pytest.mark.trio
async def test_the_last_signature_makes_the_table_begin() -> None:
    """Each is passed on to those who may lack it; what is false or of another list is dropped."""
    memory = Memory(make_table())
    assert memory.sign(1) is None
    third, fourth = memory.agreement.keys[2:]
    (passed,) = memory.said()
    assert set(passed[0]) == {third, fourth}
    assert memory.sign(1) is None
    assert memory.sign(2, number=NUMBER + 1) is None
    assert memory.sign(2, lobby=b"m" * 16) is None
    false = statements.make(memory.keys[2], LOBBY, 9, Sign(NUMBER, bytes(64)))
    assert memory.recall.heard(false.author, false) is None
    assert memory.said() == []
    assert memory.sign(2) is None
    memory.said()
    memory.recall.linked(fourth)
    kinds = [type(said) for _, said in memory.said()]
    assert kinds == [Here, Commit, Reveal, Sign, Sign, Sign]
    completed = memory.sign(3)
    assert completed is not None
    assert completed.agreement == memory.agreement
    assert completed.sealed == make_table().sealed
    assert completed.lobby == LOBBY


@pytest.mark.trio
async def test_a_whole_agreement_counts_if_it_was_signed() -> None:
    """Also an older one; not one of another table. Nobody looks on at one for the invited."""
    table, older, strange = make_table(0), make_table(1), make_table(2)
    hidden = replace(pledged(older), shown=False)
    memory = Memory(table, 0, hidden)
    assert memory.recall.agreed(table.sealed) == Completed(table.agreement, table.sealed, LOBBY)
    assert memory.recall.agreed(older.sealed) == Completed(older.agreement, older.sealed, b"")
    assert memory.recall.agreed(strange.sealed) is None


@pytest.mark.trio
async def test_what_was_signed_long_ago_or_cannot_be_read_does_not_count() -> None:
    """People have forgotten what they wanted to play; another version may know other games. Nor
    does what somebody else has signed, whose key was lost.
    """
    pledge = pledged(make_table())
    broken = replace(pledge, body=b"\x90")
    old = replace(pledge, made=pledge.made - 1)
    now = pledge.made + PLEDGE_SECONDS - 1
    own = make_table().agreement.keys[0]
    assert fresh([broken, pledge, old], now, own) == [pledge]
    assert fresh([pledge], now, b"e" * 32) == []


# Whole peers in virtual time: killed at each moment of the lobby, and started again.

MOMENTS: list[Moment] = [
    (when, write) for write in ("promise", "pledge", "open_table") for when in ("before", "after")
]
"""Before COMMIT is on disk and after it, but unsaid; so with SIGN; so with the agreement."""


def killed(moment: Moment, *names: str, seconds: float = 1.0, moves: bool = False) -> Sat:
    """These die at a moment; who opened the table writes nothing before COMMIT."""
    usual = {name: [Death(moment, seconds, moves)] for name in names}
    if moment[1] == "promise" and "anna" in usual:
        usual["anna"] = [Death(("before", "pledge"), seconds, moves)]
    return played(usual)


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS, ids="-".join)
@pytest.mark.parametrize("names", [("anna",), ("bert",), ("anna", "carl"), NAMES], ids="-".join)
def test_whoever_is_killed_in_the_lobby_all_sit_at_one_table(
    names: tuple[str, ...], moment: Moment
) -> None:
    """And nobody is called a liar, and nobody sits down twice."""
    sat = killed(moment, *names)
    assert sat.together
    assert all(sat.heard(name, Agreed) <= 1 for name in NAMES)


@pytest.mark.slow
def test_opener_that_was_killed_between_its_signature_and_the_agreement_comes_back() -> None:
    """It finds the others where they were, though it listens elsewhere and nobody calls out."""
    sat = killed(("before", "open_table"), "anna", moves=True)
    assert sat.together
    assert sat.heard("anna", Looking) == 1
    assert sat.heard("anna", LookedInVain) == 0
    assert sat.seconds < LOOK_SECONDS


@pytest.mark.slow
def test_signatures_that_reached_nobody_are_given_again() -> None:
    """All sign, all are killed before anybody has the agreement, and it is made all the same."""
    sat = killed(("before", "open_table"), *NAMES)
    assert sat.together
    assert sum(sat.heard(name, LookedInVain) for name in NAMES) == 0


@pytest.mark.slow
def test_who_has_the_agreement_alone_and_comes_last_finds_the_others() -> None:
    """They wait at a new table by then, one after it has looked in vain, one whose lobby closed."""
    last = Death(("after", "open_table"), 30.0)
    soon = Death(("before", "open_table"), 1.0)
    sat = played({"bert": [last], "anna": [soon], "carl": [soon]})
    assert sat.together
    assert sat.heard("carl", Refused) == 1
    assert sat.heard("anna", LookedInVain) == 1
    assert sat.seconds > 30


@pytest.mark.slow
def test_opener_that_hears_of_no_agreement_opens_a_new_table() -> None:
    """It looks for a while first, and says so."""

    unsigned = Death(("before", "pledge"))
    sat = played({"anna": [Death(("after", "pledge"))], "bert": [unsigned], "carl": [unsigned]})
    assert sat.together
    assert [sat.heard("anna", kind) for kind in (Looking, LookedInVain, Agreed)] == [1, 1, 1]
    assert LOOK_SECONDS < sat.seconds < LOOK_SECONDS + 10
