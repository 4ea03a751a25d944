"""Messages and questions as a trace shows them."""

from __future__ import annotations

from tests.model.vote import GONE, Entry, Message, Question, Stand


def told(message: Message) -> str:
    """A message as a trace shows it."""
    if isinstance(message, Entry):
        return f"{message.seat}'s entry {message.version} for step {len(message.head) + 1}"
    value = "GONE" if message.value == GONE else f"entry {message.value}"
    place = f"{asked(message.question)}, round {message.round}"
    if isinstance(message, Stand):
        return f"{message.seat} stands by {value} ({place})"
    basis = f", by round {message.basis}" if message.basis else ""
    return f"{message.seat} votes {value}{basis} ({place})"


def asked(question: Question) -> str:
    """A question as a trace shows it."""
    gone = {s for step in question.head for s, value in step if value == GONE}
    after = f" after {sorted(gone)} went" if gone else ""
    return f"seat {question.about} in step {len(question.head) + 1}{after}"
