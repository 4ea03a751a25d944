"""Keys: kept for one person's eyes, refused when odd, and short for people."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from p2p import base32, identity
from protocol.errors import LocalError, PeerFault
from protocol.identity_keys import check_identity_key

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
posix_only = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")


def encoded(y: int, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def small_order_ys() -> list[int]:
    """Worked out from the curve: y of order 1, 2, 4, and of order 8, where d y⁴ + 2 y² = 1."""
    root = next(
        candidate
        for factor in (1, pow(2, (P - 1) // 4, P))
        if (candidate := pow(1 + D, (P + 3) // 8, P) * factor % P) ** 2 % P == (1 + D) % P
    )
    found = {0, 1, P - 1}
    for square in ((-1 + root) * pow(D, -1, P) % P, (-1 - root) * pow(D, -1, P) % P):
        for factor in (1, pow(2, (P - 1) // 4, P)):
            y = pow(square, (P + 3) // 8, P) * factor % P
            if y * y % P == square:
                found |= {y, P - y}
    return sorted(found)


def test_the_first_start_makes_a_key_and_the_second_finds_it(tmp_path: Path) -> None:
    """Name and key belong together over restarts."""
    first = identity.load_or_make(tmp_path / "new" / "data")
    second = identity.load_or_make(tmp_path / "new" / "data")
    assert first.key == second.key
    assert first.signing_key.sign(b"x") == second.signing_key.sign(b"x")


def test_two_folders_are_two_people(tmp_path: Path) -> None:
    """Keys are fresh, not derived from the machine."""
    assert identity.load_or_make(tmp_path / "a").key != identity.load_or_make(tmp_path / "b").key


@posix_only
def test_the_file_is_ours_alone_from_its_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mode is given when the file is created, whatever the umask says."""
    modes: list[int] = []
    real_open = os.open

    def watched(path: str | Path, flags: int, mode: int = 0o777) -> int:
        descriptor = real_open(path, flags, mode)
        if flags & os.O_CREAT:
            modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", watched)
    before = os.umask(0)
    try:
        identity.load_or_make(tmp_path)
    finally:
        os.umask(before)
    assert modes == [0o600]
    assert stat.S_IMODE((tmp_path / identity.FILE_NAME).stat().st_mode) == 0o600


def test_nothing_is_left_beside_the_key(tmp_path: Path) -> None:
    """The draft is gone."""
    identity.load_or_make(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [identity.FILE_NAME]


def test_a_key_that_appears_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two programs that start at once, the slower one takes the key of the quicker one."""
    quicker = identity.make()
    link = os.link

    def late(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        identity._write_new(target, quicker)
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    assert identity.load_or_make(tmp_path).key == quicker.key
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is kept there too."""

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    assert identity.load_or_make(tmp_path).key == identity.load_or_make(tmp_path).key


def rsa_key() -> bytes:
    key = generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(lambda: b"", id="empty"),
        pytest.param(lambda: b"-----BEGIN PRIVATE KEY-----\nMC4CAQ", id="cut"),
        pytest.param(lambda: bytes(range(256)) * 64, id="garbage"),
        pytest.param(rsa_key, id="another kind of key"),
    ],
)
def test_a_file_that_holds_no_key_is_told_in_a_sentence(tmp_path: Path, content: object) -> None:
    """It names the file and what to do, and the file is left as it is."""
    assert callable(content)
    path = tmp_path / identity.FILE_NAME
    path.write_bytes(content())
    path.chmod(0o600)
    with pytest.raises(LocalError, match="holds no Ed25519 key") as error:
        identity.load_or_make(tmp_path)
    assert str(path) in str(error.value)
    assert path.exists()


@posix_only
def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    """And the sentence says how to mend it."""
    identity.load_or_make(tmp_path)
    path = tmp_path / identity.FILE_NAME
    path.chmod(0o640)
    with pytest.raises(LocalError, match=f"chmod 600 {path}"):
        identity.load_or_make(tmp_path)


def test_a_folder_in_the_place_of_the_key_is_told(tmp_path: Path) -> None:
    """No traceback, a sentence."""
    (tmp_path / identity.FILE_NAME).mkdir()
    with pytest.raises(LocalError, match="it is no file"):
        identity.load_or_make(tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """The system's own word is in the sentence."""
    (tmp_path / "data").write_text("a file")
    with pytest.raises(LocalError, match="cannot be read or written"):
        identity.load_or_make(tmp_path / "data")


def test_the_private_key_is_never_printed() -> None:
    """A log that shows an identity shows the public key at most."""
    me = identity.make(bytes(range(32)))
    assert "signing_key" not in repr(me)


def test_the_short_form_is_scrypt_in_base32() -> None:
    """As SPEC 6.1 has it: eight letters, the first five bytes."""
    key = identity.make(bytes(32)).key
    raw = hashlib.scrypt(
        key, salt=b"facedown/1/short-form", n=32768, r=8, p=1, maxmem=2**26, dklen=5
    )
    assert identity.short_bytes(key) == raw
    assert identity.short_form(key) == base32.encode(raw) == "QHS7KE8R"
    assert len(identity.short_form(key)) == 8


def test_real_keys_are_accepted() -> None:
    """Whatever Ed25519 makes."""
    for number in range(50):
        key = identity.make(hashlib.sha256(bytes([number])).digest()).key
        assert check_identity_key(key) == key


@pytest.mark.parametrize("sign", [0, 1])
def test_keys_of_small_order_are_refused(sign: int) -> None:
    """All eight points, with either sign."""
    assert len(small_order_ys()) == 5
    for y in small_order_ys():
        with pytest.raises(PeerFault, match="small order") as fault:
            check_identity_key(encoded(y, sign))
        assert fault.value.code == "key.identity"


@pytest.mark.parametrize("y", [P, P + 1, P + 5, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_keys_that_are_not_canonical_are_refused(y: int, sign: int) -> None:
    """One point must not have two names."""
    with pytest.raises(PeerFault, match="canonical"):
        check_identity_key(encoded(y, sign))


def test_a_key_beside_the_curve_is_refused() -> None:
    """Half of all y belong to no point; 2 is one of them."""
    with pytest.raises(PeerFault, match="no point"):
        check_identity_key(encoded(2))


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    """32 bytes, no more and no less."""
    with pytest.raises(PeerFault, match="32 bytes"):
        check_identity_key(bytes([7]) * length)


def test_two_programs_that_start_at_once_agree(tmp_path: Path) -> None:
    """Really at once, as processes."""
    code = (
        "import sys, pathlib; from p2p.identity import load_or_make; "
        "print(load_or_make(pathlib.Path(sys.argv[1])).key.hex())"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    keys = {process.communicate(timeout=60)[0].strip() for process in running}
    assert len(keys) == 1
    assert len(keys.pop()) == 64


@given(st.binary(max_size=40))
def test_base32_reads_what_it_wrote(data: bytes) -> None:
    """In small letters with hyphens too."""
    letters = base32.encode(data)
    assert base32.decode(letters, len(data)) == data
    assert base32.decode("-".join(letters.lower()), len(data)) == data


def test_base32_forgives_look_alikes_and_nothing_else() -> None:
    """O is 0, I and L are 1; U is no letter."""
    assert base32.decode("OIL00000", 5) == base32.decode("01100000", 5)
    with pytest.raises(LocalError, match="'U'"):
        base32.decode("UUUUUUUU", 5)
    with pytest.raises(LocalError, match="has 7 letters and should have 8"):
        base32.decode("0000000", 5)
    with pytest.raises(LocalError, match="last letter"):
        base32.decode("01", 1)
