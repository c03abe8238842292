"""The user's own numbers: edits, matrices from files, the whole state as a file."""
