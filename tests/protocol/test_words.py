"""Table codes: four words out of a list in which no two are easily taken for each other."""

from __future__ import annotations

import hashlib

from protocol.agreement import table_code
from protocol.words import WORDS


def test_the_list_has_a_word_for_every_eleven_bits() -> None:
    """2048 of them, alphabetical, of three to eight small letters."""
    assert len(WORDS) == 2048
    assert list(WORDS) == sorted(set(WORDS))
    assert all(3 <= len(word) <= 8 and word.isascii() and word.islower() for word in WORDS)
    assert all(word.isalpha() for word in WORDS)


def test_words_are_told_apart_by_four_letters() -> None:
    """Whoever hears the beginning of a word knows it."""
    assert len({word[:4] for word in WORDS}) == len(WORDS)


def test_no_two_words_differ_by_one_letter() -> None:
    """Neither by another letter in one place nor by one that is left out."""
    shapes: dict[str, str] = {}
    for word in WORDS:
        for at in range(len(word)):
            shape = f"{word[:at]}?{word[at + 1 :]}"
            assert shapes.setdefault(shape, word) == word, f"{word} and {shapes[shape]}"
            assert word[:at] + word[at + 1 :] not in WORDS


def test_a_code_is_the_first_44_bits_of_the_id() -> None:
    """Eleven bits a word, the highest first; what follows does not matter."""
    assert table_code(bytes(32)) == (WORDS[0],) * 4
    assert table_code(b"\xff" * 32) == (WORDS[2047],) * 4
    bits = (1 << 33 | 2 << 22 | 3 << 11 | 4) << 4
    for last in (0, 15):
        found = table_code((bits | last).to_bytes(6, "big") + bytes(26))
        assert found == tuple(WORDS[index] for index in (1, 2, 3, 4))


def test_the_list_never_changes() -> None:
    """Peers of all releases show the same words, so its hash is fixed here."""
    assert (
        hashlib.sha256(" ".join(WORDS).encode()).hexdigest()
        == "2a561916743ace42a44e1e183adb7d3878c6b64c70a9d7e8e1377fc947fc06d2"
    )
