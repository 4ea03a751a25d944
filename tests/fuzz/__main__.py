"""``python -m tests.fuzz [--seconds S] [--target NAME]``: fuzzing that is guided by coverage.

Each target runs in a process of its own with atheris (``pip install '.[fuzz]'``; ``make fuzz`` does
that), with a corpus in a temporary folder. Ends with 1 if an input breaks the invariant of
``tests.fuzz.targets``: the input is kept and belongs into ``tests/fuzz/test_decoders.py``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tests.fuzz.targets import Target

INPUT_SECONDS = 10
"""An input that takes longer hangs; the slowest honest one takes a tenth of a second."""

MEMORY_MIB = 1024
"""Of the whole process, the fuzzer's own tables included."""

PACKAGES = ["engine", "protocol", "p2p", "ui"]

_RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_NOISE = re.compile(r"^(INFO: Instrumenting|WARNING: Failed to find function).*\n", re.MULTILINE)


def main() -> int:
    """Runs the targets one after the other; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--target", help="only this one; see tests/fuzz/targets.py")
    asked = parser.parse_args()
    if importlib.util.find_spec("atheris") is None or not hasattr(os, "fork"):
        print(
            "fuzz: atheris is not here. It has wheels for CPython on Linux (x86-64, arm64): "
            "pip install '.[fuzz]'. The same targets run without it, by Hypothesis: "
            "pytest tests/fuzz.",
            file=sys.stderr,
        )
        return 2
    import atheris

    # Once for all targets: it takes longer than many of them run.
    with atheris.instrument_imports(include=PACKAGES, enable_loader_override=False):
        from tests.fuzz.targets import BY_NAME

    if asked.target is not None and asked.target not in BY_NAME:
        parser.error(f"no target {asked.target!r}; there are: {', '.join(BY_NAME)}")
    names = list(BY_NAME) if asked.target is None else [asked.target]
    return max([_run(BY_NAME[name], asked.seconds / len(names)) for name in names])


def _run(target: Target, seconds: float) -> int:
    """One target in a process of its own; 1 if it found something."""
    folder = Path(tempfile.mkdtemp(prefix="facedown-fuzz-"))
    corpus, log = folder / "corpus", folder / "log"
    corpus.mkdir()
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        _fuzz(target, folder, seconds)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    output = _NOISE.sub("", log.read_text(errors="replace"))
    counted = _RUNS.search(output)
    print(f"{target.name:<16} {counted[1] if counted else '?':>10} executions", flush=True)
    found = sorted(path for path in folder.iterdir() if path not in (corpus, log))
    if code == 0 and not found:
        shutil.rmtree(folder)
        return 0
    print(f"--- {target.name} ends with {code}; input and corpus are in {folder}")
    print(output[:4000])
    for path in found:
        print(f"{path}: {path.read_bytes()[:2000]!r}")
    return 1


def _fuzz(target: Target, folder: Path, seconds: float) -> NoReturn:
    """The fuzzer itself; it ends the process."""
    import atheris

    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)

    def one(data: bytes) -> None:
        target(data)

    flags = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-max_len={target.most + 64}",
        f"-timeout={INPUT_SECONDS}",
        f"-rss_limit_mb={MEMORY_MIB}",
        f"-artifact_prefix={folder}/",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *flags, str(folder / "corpus")], one)
    # It never returns; by leaving through all frames an error is noticed, and its input kept.
    atheris.Fuzz()
    sys.exit(77)


if __name__ == "__main__":
    sys.exit(main())
