"""Writes the test vectors: ``python -m tests.vectors``."""

from __future__ import annotations

from pathlib import Path

from tests.vectors.make import files

for name, text in files().items():
    path = Path(__file__).with_name(name)
    path.write_text(text, encoding="ascii", newline="\n")
    print(path.name)
