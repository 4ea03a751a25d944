"""Others' entries are passed on later, and only to those who may lack them. SPEC 11.8."""

from __future__ import annotations

from p2p.relay import RELAY_SECONDS, REMEMBERED, Relay


def test_nothing_is_due_before_its_time() -> None:
    """An entry waits its time, and then comes out once."""
    relay = Relay()
    assert relay.due == float("inf")
    relay.later(0, 3, b"entry", now=10.0)
    assert relay.due == 10.0 + RELAY_SECONDS
    assert relay.ready(10.0 + RELAY_SECONDS / 2) == []
    (passed,) = relay.ready(10.0 + RELAY_SECONDS)
    assert (passed.lane, passed.step, passed.envelope) == (0, 3, b"entry")
    assert relay.ready(99.0) == []
    assert relay.due == float("inf")


def test_entries_come_out_in_the_order_in_which_they_came_in() -> None:
    """What a later entry rests on is passed on before it."""
    relay = Relay()
    for step in (1, 2, 3):
        relay.later(0, step, bytes([step]), now=float(step))
    assert [one.step for one in relay.ready(2.0 + RELAY_SECONDS)] == [1, 2]
    assert [one.step for one in relay.ready(9.0)] == [3]


def test_who_is_beyond_a_step_has_its_entries() -> None:
    """An accepted entry of a later step of the same lane shows it; nothing else does."""
    relay = Relay()
    relay.accepted(1, lane=0, step=4)
    relay.accepted(2, lane=0, step=3)
    relay.accepted(3, lane=5, step=9)
    relay.later(0, 3, b"entry", now=0.0)
    (passed,) = relay.ready(1.0)
    assert relay.lacking((1, 2, 3, 4), passed) == (2, 3, 4)


def test_an_older_entry_does_not_take_back_what_a_newer_one_showed() -> None:
    """Entries may be accepted in any order."""
    relay = Relay()
    relay.accepted(1, lane=0, step=4)
    relay.accepted(1, lane=0, step=2)
    relay.later(0, 3, b"entry", now=0.0)
    assert relay.lacking((1,), relay.ready(1.0)[0]) == ()


def test_the_memory_is_bounded() -> None:
    """Of too many lanes the oldest are forgotten: their entries are only passed on once more."""
    relay = Relay()
    for lane in range(1, REMEMBERED + 10):
        relay.accepted(1, lane, step=9)
    relay.later(1, 3, b"old", now=0.0)
    relay.later(REMEMBERED + 9, 3, b"new", now=0.0)
    old, new = relay.ready(1.0)
    assert relay.lacking((1,), old) == (1,)
    assert relay.lacking((1,), new) == ()
