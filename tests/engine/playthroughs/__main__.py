"""``python -m tests.engine.playthroughs`` writes every playthrough anew; look at the diff."""

from __future__ import annotations

from pathlib import Path

from tests.engine.playthroughs import texts


def main() -> None:
    """Writes the files, and removes those that no scenario makes any more."""
    here = Path(__file__).parent
    made = texts()
    for old in here.glob("*.txt"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (here / name).write_bytes(text.encode())
    print(f"{len(made)} playthroughs written to {here}")


if __name__ == "__main__":
    main()
