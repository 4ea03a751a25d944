"""``python -m tests.engine.playthroughs`` writes every playthrough anew; look at the diff."""

from __future__ import annotations

from pathlib import Path

from tests.engine.playthroughs import scenarios


def main() -> None:
    """Writes the files, and removes those that no scenario makes any more."""
    here = Path(__file__).parent
    made = scenarios()
    for old in here.glob("*.txt"):
        if old.name not in made:
            old.unlink()
    for name, scenario in made.items():
        (here / name).write_bytes(scenario.text().encode())
    print(f"{len(made)} playthroughs written to {here}")


if __name__ == "__main__":
    main()
