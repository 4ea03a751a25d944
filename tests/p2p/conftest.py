"""What the tests of peers share."""

from tests.network_guard import network_guard

__all__ = ["network_guard"]
