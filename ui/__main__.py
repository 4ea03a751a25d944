"""Where ``facedown`` and ``python -m ui`` begin."""

from __future__ import annotations

import sys
from typing import NoReturn

from ui import exits, neighbours


def main() -> NoReturn:
    """Runs the command line and exits with its code."""
    stranger = neighbours.stranger()
    if stranger is not None:
        print(f"facedown: {stranger}", file=sys.stderr)
        sys.exit(exits.USAGE)
    # Only now: it imports from the packages that have just been checked.
    from ui.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
