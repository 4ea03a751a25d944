"""What the tests of the page share: few keys, and the browser, where there is one."""

from __future__ import annotations

from tests.keys import few_keys
from tests.page.browser import chromium, party

__all__ = ["chromium", "few_keys", "party"]
