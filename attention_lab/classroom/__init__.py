"""A class that answers together: rooms, their question, its votes, kept in one file."""
