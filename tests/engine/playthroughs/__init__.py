"""Golden playthroughs: everything that can be observed at every step of a hand, as text.

``python -m tests.engine.playthroughs`` writes them anew; ``test_playthroughs`` compares.
"""
