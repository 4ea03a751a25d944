"""SPEC.md is true where a test can tell: every fault code and every label of the code is in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SPEC = (ROOT / "SPEC.md").read_text(encoding="utf-8")
HASHES = {"digest", "hash_to_scalar", "weight", "permutation", "stream", "hash_to_point"}
OWN = ("secret/",)  # concern one peer alone
INTERNAL = {"discovery"}  # never sent: says why mDNS told us nothing


def calls(packages: tuple[str, ...]) -> Iterator[tuple[str, ast.Call]]:
    """All calls of plain names in the packages."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield node.func.id, node


def first_words(names: set[str], packages: tuple[str, ...]) -> set[str]:
    """The texts that stand first in calls of these names."""
    return {
        call.args[0].value
        for name, call in calls(packages)
        if name in names
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def named_in(text: str) -> set[str]:
    """Everything that stands between back quotes."""
    return set(re.findall(r"`([^`\n]+)`", text))


def test_every_fault_code_is_in_the_spec() -> None:
    """Section 12 lists what a second implementation must know."""
    section = SPEC[SPEC.index("## 12. Fault codes") :]
    codes = first_words({"PeerFault"}, ("protocol", "p2p")) - INTERNAL
    assert codes, "no codes found: the test looks at the wrong thing"
    assert codes - named_in(section) == set()


def test_every_label_is_in_the_spec() -> None:
    """Section 2.4 lists every hash; a label that is missing there cannot be computed elsewhere."""
    section = SPEC[SPEC.index("### 2.4 Labels") : SPEC.index("### 2.5")]
    labels = {
        label for label in first_words(HASHES, ("protocol", "p2p")) if not label.startswith(OWN)
    }
    assert labels, "no labels found: the test looks at the wrong thing"
    assert labels - named_in(section) == set()


def test_sections_that_the_code_names_exist() -> None:
    """``SPEC 4.3`` in a docstring leads to a heading."""
    headings = set(re.findall(r"^#+ (\d+(?:\.\d+)?)", SPEC, flags=re.MULTILINE))
    for package in ("engine", "protocol", "p2p", "ui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for number in re.findall(r"SPEC (\d+(?:\.\d+)?)", path.read_text(encoding="utf-8")):
                assert number in headings, f"{path.relative_to(ROOT)} names SPEC {number}"
