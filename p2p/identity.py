"""Who we are: an Ed25519 key in the data folder, made at the first start and never shown to others.

People tell keys apart by a short form of eight characters. It is made slowly on purpose (scrypt),
so that a key with the same short form costs thousands of core-years. SPEC 11.1.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from p2p import base32
from protocol.errors import LocalError, PeerFault
from protocol.identity_keys import check_identity_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE_NAME = "identity.pem"
"""PKCS #8 in PEM, not encrypted: what every tool that knows Ed25519 reads."""

SHORT_BYTES = 5
"""40 bits: eight letters of base32."""

_SALT = b"facedown/1/short-form"
_one_at_a_time = threading.Lock()
"""Several peers found at once would else cost 32 MiB each at the same time."""

_MAX_FILE = 4096
"""Bytes that are read of a key file; a real one has 119."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Our own key pair. ``key`` is the public half, 32 bytes; the private half is never printed."""

    signing_key: Ed25519PrivateKey = field(repr=False)
    key: bytes

    @property
    def short(self) -> str:
        """The short form of the key; see ``short_form``."""
        return short_form(self.key)


def make(secret: bytes | None = None) -> Identity:
    """A new identity, of 32 fresh bytes unless they are handed in (tests, simulation)."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if secret is None:
        secret = secrets.token_bytes(32)
    private = Ed25519PrivateKey.from_private_bytes(secret)
    return Identity(private, private.public_key().public_bytes_raw())


@lru_cache(maxsize=1024)
def short_bytes(key: bytes) -> bytes:
    """The 5 bytes that stand for a key in an invite code: scrypt(key), n = 2^15, r = 8, p = 1.

    Takes about 0.1 s and 32 MiB at the first call for a key: compute it for keys that have proved
    themselves, away from the event loop (``trio.to_thread.run_sync``).
    """
    with _one_at_a_time:
        return hashlib.scrypt(key, salt=_SALT, n=2**15, r=8, p=1, maxmem=2**26, dklen=SHORT_BYTES)


def short_form(key: bytes) -> str:
    """The eight characters that people see: ``short_bytes`` in base32. As slow at first."""
    return base32.encode(short_bytes(key))


def load_or_make(folder: Path) -> Identity:
    """The identity kept in a folder; at the first start both are made, for this user's eyes only.

    Two programs that start at once get the same identity. Raises LocalError, in words for people,
    if the file cannot be read or written, is no Ed25519 key, or others may read it.
    """
    path = folder / FILE_NAME
    try:
        if not path.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_new(path, make())
        return _load(path)
    except OSError as error:
        raise LocalError(
            f"Your key {path} cannot be read or written: {error.strerror or error}"
        ) from error


def _load(path: Path) -> Identity:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if not path.is_file():
        raise LocalError(f"{path} should be the file with your key, but it is no file.")
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        data = file.read(_MAX_FILE)
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise LocalError(
            f"Your key {path} can be read by others on this machine. If it is still yours alone, "
            f"say `chmod 600 {path}`; else move it away, and you start as somebody new."
        )
    try:
        private = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise LocalError(
            f"{path} holds no Ed25519 key that can be read. Put back a copy of it, or move it "
            "away, and you start as somebody new."
        )
    key = private.public_key().public_bytes_raw()
    try:
        check_identity_key(key)
    except PeerFault as fault:
        raise LocalError(f"The key in {path} cannot be used: {fault.text}") from None
    return Identity(private, key)


def _write_new(path: Path, identity: Identity) -> None:
    """Write the file whole or not at all, and never over another one; raises OSError."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    pem = identity.signing_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    # The mode is given with the creation, so there is no moment in which others could open it.
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        _give_name(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _give_name(draft: Path, path: Path) -> None:
    """Let the draft appear as ``path`` at once, unless another program was quicker."""
    with contextlib.suppress(FileExistsError):
        try:
            os.link(draft, path)  # unlike a rename it never replaces what is there
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):  # a file system without hard links
            if not path.exists():
                os.rename(draft, path)


def _sync_folder(folder: Path) -> None:
    """Let the new name survive a power cut, where folders can be synced (not on Windows)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
