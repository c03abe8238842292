"""Pictures: every function takes a `Trace` and gives a figure, a table or a sentence about it."""
