"""Settings of all tests: Hypothesis draws the same examples in every run and sets no time limit for one."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
