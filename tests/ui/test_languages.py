"""The page speaks every language whole: no message is missing, malformed, or left over."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from engine import game, game_names
from engine.azi.moves import REFUSALS as AZI_REFUSALS
from engine.hazari.moves import REFUSALS as HAZARI_REFUSALS
from p2p.events import Refused

WEB: Final = Path(__file__).parents[2] / "ui" / "web"

FORMS: Final = {
    "en": {"one", "other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
    "bg": {"one", "other"},
    "sl": {"one", "two", "few", "other"},
}
"""Plural forms by language (CLDR): each plural has all of them, and no others but ``=n``."""

COMMON: Final = ("on", "off")
"""Word choices that may be said by a message for all options."""

PLACEHOLDER: Final = re.compile(r"\s*(\w+)\s*(?:,\s*plural\s*,(.*))?", re.DOTALL)
FORM: Final = re.compile(r"\s*(=?\w+)\s*\{")
LITERAL: Final = re.compile(
    r"""(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)"""
)
ASKED: Final = re.compile(r'(?<![.\w])(?:t|first|has)\(\s*\[?\s*"([^"]+)"')
HOLE: Final = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")


def messages(code: str) -> dict[str, str]:
    found = json.loads((WEB / "lang" / f"{code}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def partner(text: str, at: int) -> int:
    """Where the brace that opens at ``at`` closes."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"a brace does not close: {text!r}")


def plurals(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Every placeholder of a message with its plural forms; none: a plain one. Nested ones too."""
    at = 0
    while (begin := text.find("{", at)) >= 0:
        assert "}" not in text[at:begin], f"a brace closes that was never open: {text!r}"
        at = partner(text, begin) + 1
        found = PLACEHOLDER.fullmatch(text[begin + 1 : at - 1])
        assert found is not None, f"no placeholder: {text[begin:at]!r}"
        forms = dict(_forms(found[2])) if found[2] is not None else {}
        yield found[1], forms
        for form in forms.values():
            yield from plurals(form)
    assert "}" not in text[at:], f"a brace closes that was never open: {text!r}"


def _forms(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while found := FORM.match(text, at):
        at = partner(text, found.end() - 1) + 1
        yield found[1], text[found.end() : at - 1]
    assert not text[at:].strip(), f"not a form: {text[at:]!r}"


def scripts() -> dict[str, str]:
    """All modules of the page by name, without whole lines of comment."""
    return {
        path.relative_to(WEB).as_posix(): re.sub(
            r"^\s*(//|/?\*).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        for path in sorted((WEB / "js").rglob("*.js"))
    }


def literals() -> set[str]:
    """All strings in the modules, those inside templates too; the holes of templates as ``*``."""
    found: set[str] = set()
    texts = list(scripts().values())
    while texts:
        for double, single, template in LITERAL.findall(texts.pop()):
            found.add(double or single or HOLE.sub("*", template))
            texts.extend(HOLE.findall(template))
    return found


CODES: Final = sorted(path.stem for path in (WEB / "lang").glob("*.json"))
OTHERS: Final = [code for code in CODES if code != "en"]


def test_every_language_of_the_page_has_its_file() -> None:
    listed = re.search(r"LANGUAGES = \{(.*?)\}", scripts()["js/i18n.js"])
    assert listed is not None
    assert sorted(re.findall(r"(\w+):", listed[1])) == CODES == sorted(FORMS)


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_lacks_no_message_and_has_none_too_many(code: str) -> None:
    english, own = messages("en"), messages(code)
    assert sorted(english.keys() - own.keys()) == [], f"missing in {code}"
    assert sorted(own.keys() - english.keys()) == [], f"superfluous in {code}"


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_same_placeholders(code: str) -> None:
    english, own = messages("en"), messages(code)
    differ = [
        key
        for key in english.keys() & own.keys()
        if {name for name, _ in plurals(english[key])} != {name for name, _ in plurals(own[key])}
    ]
    assert sorted(differ) == []


@pytest.mark.parametrize("code", CODES)
def test_plurals_have_the_forms_of_the_language(code: str) -> None:
    wrong = [
        (key, sorted(forms))
        for key, text in sorted(messages(code).items())
        for _, forms in plurals(text)
        if forms and {name for name in forms if not name.startswith("=")} != FORMS[code]
    ]
    assert wrong == []


@pytest.mark.parametrize("code", CODES)
def test_messages_are_plain_text_on_one_line(code: str) -> None:
    """No markup, and nothing that turns the direction of what stands around it."""
    wrong = [
        key
        for key, text in sorted(messages(code).items())
        if not text.strip()
        or "<" in text
        or any(unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp") for sign in text)
    ]
    assert wrong == []


@pytest.mark.parametrize("code", CODES)
def test_files_are_sorted_and_flat(code: str) -> None:
    text = (WEB / "lang" / f"{code}.json").read_text(encoding="utf-8")
    own = messages(code)
    assert all(isinstance(message, str) for message in own.values())
    assert text == json.dumps(dict(sorted(own.items())), ensure_ascii=False, indent=1) + "\n"


def test_every_message_that_the_page_asks_for_exists() -> None:
    english = messages("en")
    asked = {(key, name) for name, text in scripts().items() for key in ASKED.findall(text)}
    assert sorted((key, name) for key, name in asked if key not in english) == []


def test_every_string_that_looks_like_a_message_is_one() -> None:
    """Keys also travel through variables; a string of a known family is a key, or begins some."""
    english = messages("en")
    families = {key.partition(".")[0] for key in english if "." in key}
    wrong = [
        text
        for text in literals()
        if re.fullmatch(r"\w+(\.[\w-]+)+", text)
        and text.partition(".")[0] in families
        and not any(key == text or key.startswith(f"{text}.") for key in english)
    ]
    assert sorted(wrong) == []


def test_no_message_is_left_over() -> None:
    """Used is what stands in a module, or fits a template there, ``suit.*`` or ``*.mine``."""
    found = literals()
    templates = [
        re.compile(re.escape(text).replace(r"\*", ".+"))
        for text in found
        if re.match(r"\w+\.", text) and "*" in text
    ]
    endings = [text[1:] for text in found if re.fullmatch(r"\*\.\w+", text)]
    unused = [
        key
        for key in messages("en")
        if key not in found
        and not any(one.fullmatch(key) for one in templates)
        and not any(key.endswith(end) and key.removesuffix(end) in found for end in endings)
    ]
    assert sorted(unused) == []


def test_every_refusal_of_the_games_has_words() -> None:
    english = messages("en")
    codes = sorted({*HAZARI_REFUSALS, *AZI_REFUSALS})
    assert [code for code in codes if f"rule.{code}" not in english] == []


def test_every_reason_for_no_seat_has_words() -> None:
    """The codes stand in the docstring of the event."""
    english = messages("en")
    codes = re.findall(r'"([a-z-]+)"', Refused.__doc__ or "")
    assert len(codes) > 10
    assert [code for code in codes if f"refused.{code}" not in english] == []


@pytest.mark.parametrize("name", game_names())
def test_every_option_has_a_name_and_an_explanation(name: str) -> None:
    english = messages("en")
    wanted = [
        key
        for option in game(name).options
        for key in (f"option.{name}.{option.name}", f"option.{name}.{option.name}.help")
    ]
    assert [key for key in wanted if key not in english] == []


@pytest.mark.parametrize("name", game_names())
def test_every_choice_of_an_option_has_words(name: str) -> None:
    english = messages("en")
    missing = [
        (option.name, word)
        for option in game(name).options
        for word in option.choices
        if f"choice.{name}.{option.name}.{word}" not in english
        and not (word in COMMON and f"choice.{word}" in english)
    ]
    assert missing == []
