"""A small model of the absence vote, explored before and beside the code that does it."""
