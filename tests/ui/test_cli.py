"""The command line says what is wrong in one sentence, and help says everything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine import game, game_names
from ui import catalogue, cli, exits, settings
from ui.exits import Exit
from ui.settings import Settings


def read(*arguments: str) -> Settings:
    """The settings of a ``facedown bot`` command line."""
    return settings.read(cli.parser().parse_args(["bot", *arguments]), lambda: Path("nowhere"))


def test_a_bot_joins_with_sensible_defaults() -> None:
    """Only the table must be named."""
    asked = read("--table", "kitchen", "--name", "Anna")
    assert asked == Settings(
        table="kitchen",
        opens=False,
        join=None,
        game=None,
        options=catalogue.read_options(game("hazari"), []),
        seats=4,
        strategy=None,
        program=False,
        name="Anna",
        data=Path("nowhere"),
        interface=None,
        port=0,
        discovery=True,
        save=None,
        give_up=None,
        linger=False,
        go_on=60,
    )


def test_a_bot_that_opens_a_table_chooses_what_is_played() -> None:
    """Options are parsed by the game, and a table has a name in any case."""
    asked = read("--open", "--name", "Anna", "--option", "hands=2", "--option", "dismissal=both")
    assert asked.opens
    assert asked.table == "table of Anna"
    assert (asked.options["hands"], asked.options["dismissal"]) == (2, "both")


def test_azi_has_its_own_seats_and_defaults() -> None:
    """Four seats if nothing is said; a default may hang on another option."""
    asked = read("--open", "--name", "Anna", "--game", "azi", "--option", "blind=on")
    assert (asked.game, asked.seats) == ("azi", 4)
    assert asked.options["raise_step"] == 2
    for seats in range(2, 7):
        assert read("--open", "--game", "azi", "--seats", str(seats)).seats == seats
    assert read("--open").game == "hazari"


def test_an_address_may_be_ipv6() -> None:
    """As people type it."""
    assert read("--join", "[fe80::1%eth0]:7421").join == ("fe80::1%eth0", 7421)
    assert read("--join", "192.168.1.20:7421").join == ("192.168.1.20", 7421)


def test_a_code_may_stand_in_for_the_address() -> None:
    """As people type it; it is checked before anything is started."""
    asked = read("--join", "ar2m 0250 wzmo g4or 4om3")
    assert (asked.join, asked.code) == (None, "ar2m 0250 wzmo g4or 4om3")


def test_the_environment_may_say_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments are seen by all users of a computer; what is said there counts more still."""
    monkeypatch.setenv("FACEDOWN_JOIN", "ar2m 0250 wzmo g4or 4om3")
    asked = read("--table", "x", "--no-discovery")
    assert (asked.join, asked.code) == (None, "ar2m 0250 wzmo g4or 4om3")
    asked = read("--join", "192.168.1.20:7421")
    assert (asked.join, asked.code) == (("192.168.1.20", 7421), None)
    asked = read("--open")
    assert (asked.join, asked.code) == (None, None)
    monkeypatch.setenv("FACEDOWN_JOIN", "")
    assert read("--table", "x").code is None


def test_a_bot_has_an_owner() -> None:
    """The key of whoever started it."""
    key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert read("--table", "x", "--owner", key).owner == bytes.fromhex(key)


def test_another_program_may_choose_the_moves() -> None:
    """In place of a strategy."""
    asked = read("--table", "x", "--stdin")
    assert (asked.program, asked.strategy) == (True, None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--game", "chess"], "the game 'chess' is unknown; there are: azi, hazari."),
        (["--strategy", "wild"], "no game has a strategy 'wild'; there are: random, steady."),
        (["--game", "hazari", "--strategy", "wild"], "hazari has no strategy 'wild'; there are: "),
        (["--table", "x", "--stdin", "--strategy", "random"], "exclude each other"),
        (["--open", "--option", "speed=1"], "unknown option 'speed'"),
        (["--open", "--option", "hands=many"], "option hands must be 0 (until the target)"),
        (["--open", "--option", "hands"], "an option is written name=value"),
        (["--open", "--option", "hands=1", "--option", "hands=2"], "hands is given twice"),
        (["--open", "--seats", "3"], "Hazari is played by 4, not by 3."),
        (
            ["--open", "--game", "azi", "--option", "cards=4", "--option", "blind=on"],
            "blind bids (option blind) go with three cards only (option cards).",
        ),
        (
            ["--open", "--game", "azi", "--option", "blind=on", "--option", "min_bid=5"],
            "option min_bid must be even with blind bids at half price, not 5.",
        ),
        (
            ["--open", "--game", "azi", "--option", "stack=5"],
            "option ante must be at most the stack of 5, not 10.",
        ),
        (["--table", "x", "--option", "hands=2"], "are for whoever opens the table"),
        (["--open", "--join", "1.2.3.4:5"], "exclude each other"),
        (["--table", "x", "--stdin", "--linger"], "exclude each other"),
        (["--table", "x", "--no-discovery"], "only found by --join"),
        (["--join", "kitchen"], "nor is it an address, like 192.168.1.20:7421."),
        (["--join", "AR2M-0250-WZM0-G40R-40M4"], "no invite code: a letter is wrong"),
        (["--table", "x", "--invite"], "--invite is for whoever opens"),
        (["--table", "x", "--owner", "00" * 32], "--owner: "),
        (["--table", "x", "--owner", "abc"], "--owner: "),
        (["--join", "kitchen:0"], "is no address"),
        (["--join", ":7421"], "is no address"),
        (["--table", "bell\a"], "--table: 'bell\\x07' will not do"),
        (["--table", "x", "--name", ""], "--name: '' will not do"),
        (["--table", "x", "--save", "/no/such/folder/file"], "there is no folder"),
        (["--table", "x", "--save", "/"], "is a folder, not a file"),
    ],
)
def test_wrong_usage_of_the_bot_is_told_in_one_sentence(
    arguments: list[str], sentence: str
) -> None:
    """Before anything is started; code 2."""
    with pytest.raises(Exit) as caught:
        read(*arguments)
    assert caught.value.code == exits.USAGE
    assert sentence in caught.value.text
    assert "\n" not in caught.value.text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["sing"], "invalid choice: 'sing'"),
        (["bot", "--tabel", "x"], "unrecognized arguments: --tabel x"),
        (["bot", "--tab", "x"], "unrecognized arguments: --tab x"),
        (["bot", "--port", "70000"], "a number from 0 to 65535, not '70000'"),
        (["bot", "--port", "http"], "a number from 0 to 65535, not 'http'"),
        (["bot", "--give-up", "-1"], "seconds above 0, not '-1'"),
        (["bot", "--give-up", "nan"], "seconds above 0, not 'nan'"),
        (["tables", "--seconds", "1"], "2 seconds or more, not '1': others take that long"),
        (["demo", "--hands", "0"], "a number from 1 to 1000, not '0'"),
        (["verify"], "the following arguments are required: FILE"),
        (["verify", "--json", "--brief", "x"], "not allowed with argument"),
    ],
)
def test_what_the_parser_refuses_ends_with_code_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on what is wrong, one on where help is."""
    assert cli.run(arguments) == exits.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.splitlines()[-1].endswith("--help explains it.")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demo", "--game", "chess"], "the game 'chess' is unknown"),
        (["demo", "--seats", "5"], "Hazari is played by 4, not by 5"),
        (["demo", "--option", "hands=0", "--hands", "2"], "option hands is given twice"),
        (["demo", "--save", "/no/such/folder/x"], "there is no folder"),
        (["verify", "/no/such/file"], "/no/such/file cannot be read: No such file or directory"),
        (["verify", "/"], "/ cannot be read: Is a directory"),
        (["verify", "a\0b"], "cannot be the name of a file"),
    ],
)
def test_wrong_usage_of_other_commands(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence on stderr, nothing on stdout, code 2."""
    assert cli.run(arguments) == exits.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1


def help_of(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What ``--help`` prints."""
    assert cli.run([*command, "--help"]) == exits.DONE
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [[], ["bot"], ["demo"]])
def test_help_has_the_table_of_exit_codes(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them, in one place."""
    text = help_of(command, capsys)
    for code, meaning in exits.MEANINGS.items():
        assert re.search(rf"^ +{code}  {re.escape(meaning)}$", text, re.MULTILINE)


@pytest.mark.parametrize("command", ["bot", "demo"])
def test_help_lists_every_option_of_every_game(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its values and its default."""
    text = help_of([command], capsys)
    for name in game_names():
        for option in game(name).options:
            assert option.name in text
            assert f"{option.values} (default: {option.default})" in text
        assert ", ".join(game(name).strategies) in text
    assert "azi: 2 to 6 seats (default: 4); " in text
    assert "hazari: 4 seats; " in text


@pytest.mark.parametrize("command", [[], ["bot"], ["demo"], ["verify"]])
def test_help_has_examples_that_the_parser_takes(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An example that does not work is worse than none."""
    examples = re.findall(r"^  (?:my-program \| )?facedown (.+)$", help_of(command, capsys), re.M)
    assert examples
    for example in examples:
        words = re.split(r" {2,}| <", example)[0].split()
        assert cli.parser().parse_args(words).carry_out is not None


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """As every tool tells it."""
    assert cli.run(["--version"]) == exits.DONE
    assert re.fullmatch(r"facedown \S+\n", capsys.readouterr().out)


def loaded_after(code: str) -> set[str]:
    """The heavy modules that a fresh interpreter has after some code."""
    heavy = ("trio", "cryptography", "zeroconf", "btclib_secp256k1", "msgpack", "sqlite3", "ssl")
    script = (
        f"import sys\n{code}\nprint(*[m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


def test_help_imports_nothing_heavy() -> None:
    """Else it would not be there at once."""
    for command in ([], ["bot"], ["verify"]):
        arguments = [*command, "--help"]
        assert loaded_after(f"from ui.cli import run\nrun({arguments})") == set()


def test_verify_needs_no_network_code(tmp_path: Path, record: bytes) -> None:
    """A record is judged without Trio, TLS and mDNS."""
    file = tmp_path / "x.facedown"
    file.write_bytes(record)
    loaded = loaded_after(f"from ui.cli import run\nassert run(['verify', {str(file)!r}]) == 0")
    assert loaded == {"cryptography", "btclib_secp256k1", "msgpack"}


def test_codes_of_the_readme_are_those_of_the_help() -> None:
    """README has the same table in words of its own; no code may be missing."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d, ]+) \|", readme, re.MULTILINE)
    told = {int(code) for row in rows for code in row.split(",")}
    assert set(exits.MEANINGS) - told <= {exits.PIPE}
