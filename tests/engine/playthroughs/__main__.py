"""``python -m tests.engine.playthroughs`` writes every playthrough anew; look at the diff."""

from __future__ import annotations

from pathlib import Path

from tests.engine.playthroughs import hazari


def main() -> None:
    """Writes the files, and removes those that no scenario makes any more."""
    here = Path(__file__).parent
    texts = hazari.texts()
    for old in here.glob("*.txt"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (here / name).write_bytes(text.encode())
    print(f"{len(texts)} playthroughs written to {here}")


if __name__ == "__main__":
    main()
