"""A peer that cheats: it puts one card twice into the pack and proves it as well as it can.

    python -P -m tests.p2p.liar bot --join HOST:PORT ...

Everything else about it is the real program.
"""

from __future__ import annotations

import sys

from protocol import packmaker
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.proofs import Deck, shuffle
from protocol.wire import Value
from ui.__main__ import main

honest = packmaker.contribute


def contribute(state: PackState, secrets: PackSecrets, fresh: bytes) -> tuple[Value, ...]:
    """As the honest one, but the card of place 1 lies on place 0 too, encrypted anew."""
    if state.stage != "mix":
        return honest(state, secrets, fresh)
    before, order = state.decks[-1], secrets.permutation
    # The same card under the randomness of the one that it replaces: no two pairs are equal.
    doubled = Deck(
        tuple(before.first[order[1]] if j == order[0] else A for j, A in enumerate(before.first)),
        tuple(before.second[order[1]] if j == order[0] else B for j, B in enumerate(before.second)),
    )
    return shuffle.mix(doubled, state.key, order, secrets.mix_randomness).to_wire()


if __name__ == "__main__":
    packmaker.contribute = contribute
    sys.exit(main())
