"""How long ``facedown --help`` takes: a fresh process each time, from start to exit.

The limit is 0.35 s of wall time; a bare interpreter is timed beside it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

LIMIT = 0.35
RUNS = 9

COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("a bare interpreter", ("-c", "")),
    ("facedown --help", ("-m", "ui", "--help")),
    ("facedown bot --help", ("-m", "ui", "bot", "--help")),
    ("facedown verify --help", ("-m", "ui", "verify", "--help")),
    ("facedown --version", ("-m", "ui", "--version")),
)


def seconds(arguments: Sequence[str]) -> float:
    """The median wall time of a process; raises CalledProcessError if it fails."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> int:
    """Prints all times; 1 if help takes longer than the limit."""
    measured = {name: seconds(arguments) for name, arguments in COMMANDS}
    for name, took in measured.items():
        print(f"{name:<24} {took * 1000:6.0f} ms")
    slow = [name for name, took in measured.items() if took > LIMIT]
    print(f"limit {LIMIT * 1000:.0f} ms: {'exceeded by ' + ', '.join(slow) if slow else 'kept'}")
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
