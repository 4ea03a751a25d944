"""Every decoder of bytes from outside, fed with anything; see ``tests.fuzz.targets``."""
