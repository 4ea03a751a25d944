"""Zero-knowledge proofs about a pack: knowledge of a key, a shuffle, shares, locks, claims. SPEC 4.

Every proof has a function that makes it and a function ``statement`` that turns it into equations;
``check`` gives the verdict on any list of statements.
"""

from protocol.proofs.checking import Pending, Statement, check, judge
from protocol.proofs.claim import ClaimProof
from protocol.proofs.knowledge import KnowledgeProof
from protocol.proofs.lock import Lock
from protocol.proofs.shares import ShareProof
from protocol.proofs.shuffle import Deck, ShuffleProof

__all__ = [
    "ClaimProof",
    "Deck",
    "KnowledgeProof",
    "Lock",
    "Pending",
    "ShareProof",
    "ShuffleProof",
    "Statement",
    "check",
    "judge",
]
