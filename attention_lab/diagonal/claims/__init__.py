"""Quotable claims about attention, each with its verdict and a check that runs on the spot."""
