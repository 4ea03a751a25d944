"""``python -m tests.audit``: asks whether any installed package has a known vulnerability.

It needs pip-audit, which is put into an environment of its own, and a package index that serves
advisories. Where it cannot have both it says so, and that nothing was checked; with
FACEDOWN_REQUIRE_AUDIT that is a failure. Ends with 1 for a vulnerability.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

SECONDS = 180
"""For each of the two steps; without a network they would try again and again."""


def main() -> int:
    """The exit code."""
    with tempfile.TemporaryDirectory(prefix="facedown-audit-") as folder:
        try:
            found = _ask(Path(folder))
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            return _not_checked(f"pip-audit cannot be had or does not run ({type(error).__name__})")
    vulnerable = [one for one in found if one.get("vulns")]
    skipped = [str(one["name"]) for one in found if "skip_reason" in one]
    for one in vulnerable:
        for known in one["vulns"]:  # type: ignore[attr-defined]
            print(f"audit: {one['name']} {one['version']}: {known['id']} {known['fix_versions']}")
    if vulnerable:
        return 1
    # pip-audit calls it no vulnerability if there is nobody to ask.
    checked = len(found) - len(skipped)
    if skipped and not checked:
        return _not_checked("the package index serves no advisories")
    print(f"audit: no known vulnerability in {checked} packages; not checked: {skipped or 'none'}")
    return 0


def _ask(folder: Path) -> list[dict[str, object]]:
    """What pip-audit says of each package of this environment."""
    venv.create(folder, with_pip=True)
    tool = folder / ("Scripts" if os.name == "nt" else "bin")
    quiet = ("--quiet", "--disable-pip-version-check")
    install = [str(tool / "python"), "-m", "pip", "install", *quiet, "pip-audit"]
    subprocess.run(install, check=True, timeout=SECONDS, capture_output=True)
    site = sysconfig.get_path("purelib")
    arguments = ["--path", site, "--skip-editable", "--format", "json", "--progress-spinner", "off"]
    asked = subprocess.run(
        [str(tool / "pip-audit"), *arguments], check=False, timeout=SECONDS, capture_output=True
    )
    found = json.loads(asked.stdout)["dependencies"]
    return [one for one in found if one["name"] != "facedown"]


def _not_checked(why: str) -> int:
    print(f"audit: nothing was checked: {why}.", file=sys.stderr)
    return 1 if os.environ.get("FACEDOWN_REQUIRE_AUDIT") else 0


if __name__ == "__main__":
    sys.exit(main())
