"""What a session asks of its driver, in order; each is carried out before the next, jobs aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from protocol.errors import PeerFault
from protocol.events import Event


@dataclass(frozen=True, slots=True)
class Persist:
    """Put an entry on disk. Before the next Send is carried out, it must be synced."""

    lane: int
    step: int
    seat: int
    envelope: bytes


@dataclass(frozen=True, slots=True)
class PersistSecret:
    """Put a secret of this seat on disk (never logged, never exported), synced before a Send."""

    name: str
    value: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ForgetSecret:
    """Delete a secret: the hand that it belonged to is over."""

    name: str


@dataclass(frozen=True, slots=True)
class Send:
    """Give an envelope to all members. ``passed_on``: another seat's, which may have it to all."""

    envelope: bytes
    passed_on: bool = False


@dataclass(frozen=True, slots=True)
class PersistVote:
    """Put a vote about a seat's entry in a step on disk, synced before the next Send or SendVote.

    It is read back between the entries, in the order in which all of them were written.
    """

    lane: int
    step: int
    about: int
    vote: bytes


@dataclass(frozen=True, slots=True)
class SendVote:
    """Give a vote, or what a seat says of its coming and going, to all members at once.

    ``entry``: the envelope that it is about, for who lacks it; or empty.
    """

    vote: bytes
    entry: bytes = b""


@dataclass(frozen=True, slots=True)
class Job:
    """Heavy arithmetic to run off the event loop; its result goes to ``Session.done``.

    ``run`` touches nothing but its own arguments, so any thread will do. It raises nothing that
    depends on a peer's bytes: verdicts are part of the result.
    """

    number: int
    what: str
    run: Callable[[], object] = field(repr=False)  # its arguments are fresh randomness


@dataclass(frozen=True, slots=True)
class Tell:
    """Something that people or programs at this seat may want to know."""

    event: Event


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat or a link broke the protocol; the fault names it."""

    fault: PeerFault


Effect: TypeAlias = (
    Persist | PersistVote | PersistSecret | ForgetSecret | Send | SendVote | Job | Tell | Fault
)
