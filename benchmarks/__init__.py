"""Measurements, run by hand with `make bench`. What is measured here is never asserted in a
test.
"""
