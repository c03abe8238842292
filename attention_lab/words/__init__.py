"""A sentence becomes tokens, tokens become vectors."""
