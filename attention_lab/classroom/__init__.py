"""Classes that vote: rooms, their questions and votes, in one file."""
