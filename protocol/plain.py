"""Which text may stand in a name or a line: what people can read, and nothing that deceives them.

By ranges of code points, not by the tables of the interpreter, so that all judge alike. SPEC 2.3.
"""

from __future__ import annotations

import re

MOST_MARKS = 4
"""Marks in a row on one letter; more would reach over the lines above and below."""

REFUSED = (
    "\u0000-\u001f\u007f-\u009f"  # control
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2"  # format, ignorable
    "\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Control and format characters, among them all that turn the direction of writing; separators of
lines; what shows nothing at all."""

JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""Shown as nothing too, but Bengali and Persian names, and pictures, are spelled with them."""

SPACES = "\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f71-\u0f7e\u0f80-\u0f84"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\u3099-\u309a\ufe20-\ufe2f"
)
"""What is written on the letter before."""

_REFUSED = re.compile(f"[{REFUSED}]")
_VISIBLE = re.compile(f"[^{JOINERS}{SPACES}{MARKS}]")
_HEAP = re.compile(f"(?:[{MARKS}][{JOINERS}]*){{{MOST_MARKS + 1}}}")
_JOINERS = re.compile(f"[{JOINERS}]")
_SPACES = re.compile(f"[{SPACES}]+")


def is_plain_text(value: str) -> bool:
    """Whether a text holds nothing that is refused, and no heap of marks."""
    return not _REFUSED.search(value) and not _HEAP.search(value)


def is_visible(value: str) -> bool:
    """Whether there is something to read in a text: more than spaces, joiners and marks."""
    return _VISIBLE.search(value) is not None


def as_seen(value: str) -> str:
    """A plain text without what nobody sees: joiners, spaces at the ends, spaces in a row."""
    return _SPACES.sub(" ", _JOINERS.sub("", value)).strip(" ")
