"""What the tests of the page share: the browser, where there is one."""

from __future__ import annotations

from tests.page.browser import chromium, party

__all__ = ["chromium", "party"]
