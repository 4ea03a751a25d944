"""What keeps this computer from playing, with a word that programs can tell it by."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from protocol.errors import LocalError


class Trouble(LocalError):
    """One clear sentence for people; ``reason`` is one of the words below.

    ``data-in-use``, ``data-permission``, ``data-damaged``, ``data-newer``, ``data-full``,
    ``port-in-use``, ``interface``, ``network-permission``, ``network``.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


_NETWORK = {errno.EADDRINUSE: "port-in-use", errno.EACCES: "network-permission"}


@contextmanager
def network_troubles() -> Iterator[None]:
    """Gives a word to what the network refuses when a peer begins to listen."""
    try:
        with single_errors():
            yield
    except LocalError as error:
        cause = error.__cause__
        code = cause.errno if isinstance(cause, OSError) else None
        raise Trouble(_NETWORK.get(code or 0, "network"), str(error)) from cause


@contextmanager
def single_errors() -> Iterator[None]:
    """Takes an error that is alone out of the groups that nurseries wrap it in.

    Of several, if all are LocalErrors, the first is taken: of Troubles if there is one.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = _leaves(group)
        leaves.sort(key=lambda leaf: not isinstance(leaf, Trouble))
        if len(leaves) == 1 or all(isinstance(leaf, LocalError) for leaf in leaves):
            raise leaves[0] from leaves[0].__cause__
        raise


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
